import { SCOPES, type SecurityScheme } from '@app/dto';

const createOAuthFlow = (authUrl: string) => ({
  authorizationUrl: `${authUrl}/oauth2/authorize`,
  scopes: SCOPES,
});

/** contract.md section 1: the schemes' names and headers are what existing clients know. */
export function createSecuritySchemes(authUrl: string): Record<SecurityScheme, object> {
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The API key of a client application. Names the application, no user.',
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
        '`Ethereum <credential>`: a message signed by the wallet, as base64url, a dot, and the signature.',
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
