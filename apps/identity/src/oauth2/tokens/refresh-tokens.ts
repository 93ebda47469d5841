import { Provider } from 'oidc-provider';
import type { CredentialHasher } from '../../applications/credentials/credential-issuer.js';

/**
 * A refresh token of a confidential client may be used again for ten seconds, by a retry after a lost response, until its
 * successor is used. `oauth-models.queries.ts` decides it, where the token is found.
 */
export const REFRESH_TOKEN_GRACE_SECONDS = 10;

/** The method of oidc-provider's models that returns the value of a new token. */
interface IdentifiedModel {
  generateTokenId: () => string;
}

/**
 * The token that replaces a refresh token at every use, so that a family never branches and reuse of any member is noticed.
 * Only the server can derive it: knowing an old token does not suffice.
 */
export const deriveSuccessor = (refreshToken: string, hasher: CredentialHasher): string =>
  hasher.hash(`refresh token after ${refreshToken}`).toString('base64url');

/** Issues the derived successor when a refresh token is exchanged, and a random token otherwise. */
export function chainRefreshTokens(provider: Provider, hasher: CredentialHasher): void {
  const prototype = provider.RefreshToken.prototype as unknown as IdentifiedModel;
  const generateRandomId = prototype.generateTokenId;
  prototype.generateTokenId = function () {
    const used = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return used ? deriveSuccessor(used.jti, hasher) : generateRandomId.call(this);
  };
}
