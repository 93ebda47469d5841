import { loginMethods } from '@app/auth';
import type { AdapterPayload, Provider } from 'oidc-provider';
import type { AccessTokenService } from './access-token.service.js';

/**
 * oidc-provider ignores tokens in JWT form at its introspection and revocation endpoints, because it does not store them.
 * This service stores its JWTs, so they pass oidc-provider with escaped dots; AccessTokenAdapter unescapes them.
 */
const DOT = '.';
const ESCAPED_DOT = '~';

export const escapeJwtDots = (token: string): string => token.replaceAll(DOT, ESCAPED_DOT);

export const unescapeJwtDots = (token: string): string => token.replaceAll(ESCAPED_DOT, DOT);

/** The method of oidc-provider's models that returns a token's value and the payload to store. */
interface IssuableModel {
  getValueAndPayload: () => Promise<{ value: string; payload: AdapterPayload }>;
}

/**
 * Issues access tokens as JWTs and stores them. oidc-provider does not store its own JWTs, so it could neither revoke nor
 * introspect them.
 */
export function issueJwtAccessTokens(provider: Provider, tokens: AccessTokenService): void {
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const prototype = model.prototype as unknown as IssuableModel;
    const getOpaqueValueAndPayload = prototype.getValueAndPayload;
    prototype.getValueAndPayload = async function () {
      const { payload } = await getOpaqueValueAndPayload.call(this);
      return { value: tokens.sign(toAccessTokenClaims(payload)), payload };
    };
  }
}

function toAccessTokenClaims({
  jti = '',
  accountId,
  clientId = '',
  scope,
  iat = 0,
  exp = 0,
  extra,
}: AdapterPayload) {
  const authTime = extra?.['auth_time'];
  return {
    jti,
    sub: accountId ?? `client:${clientId}`,
    clientId,
    scope,
    iat,
    exp,
    authTime: typeof authTime === 'number' ? authTime : undefined,
    amr: loginMethods.optional().parse(extra?.['amr']),
  };
}
