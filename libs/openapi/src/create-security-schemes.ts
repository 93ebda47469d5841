import { SCOPES, type SecurityScheme } from '@app/dto';

const createOAuthFlow = (authUrl: string) => ({
  authorizationUrl: `${authUrl}/oauth2/authorize`,
  scopes: SCOPES,
});

/** Names and headers that existing clients expect (contract.md section 1). */
export function createSecuritySchemes(authUrl: string): Record<SecurityScheme, object> {
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The API key of a client application. Identifies the client application, not a user.',
    },
    authenticatedEncryption: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`AE <token>`: the id token of a Sign-in with Ethereum.',
    },
    ethereum: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description:
        '`Ethereum <credential>`: a message signed by a wallet, as base64url, a dot, and the signature.',
    },
    serviceOAuth2: {
      type: 'oauth2',
      description: '`Bearer <access token>`.',
      flows: {
        authorizationCode: { ...createOAuthFlow(authUrl), tokenUrl: `${authUrl}/oauth2/token` },
        implicit: createOAuthFlow(authUrl),
      },
    },
  };
}
