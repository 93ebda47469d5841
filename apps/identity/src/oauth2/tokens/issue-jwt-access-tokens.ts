import type { AdapterPayload, Provider } from 'oidc-provider';
import type { AccessTokenService } from './access-token.service.js';

/** What oidc-provider's models do when they are saved: the text for the holder, and what is stored. */
interface IssuableModel {
  getValueAndPayload: () => Promise<{ value: string; payload: AdapterPayload }>;
}

/**
 * Access tokens go out as JWTs and are stored all the same. oidc-provider's own JWTs are not stored, and then it can neither
 * revoke nor introspect them.
 */
export function issueJwtAccessTokens(provider: Provider, tokens: AccessTokenService): void {
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const prototype = model.prototype as unknown as IssuableModel;
    const opaque = prototype.getValueAndPayload;
    prototype.getValueAndPayload = async function () {
      const { payload } = await opaque.call(this);
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
  };
}
