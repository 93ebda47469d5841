import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import { type ClientRateLimiter, getClientPlan } from '../clients/client-rate-limiter.js';

interface TokenWithGrantType {
  readonly gty?: string | undefined;
}

/** Whether a token found by AccessTokenAdapter is an Ethereum credential, whose signature has not been checked. */
export const isEthereumCredential = ({ gty }: TokenWithGrantType): boolean => gty === 'Ethereum';

/** Makes introspection report `AE` as the type of AE tokens, which are not Bearer tokens (contract.md section 1). */
export function defineTokenTypes({ AccessToken }: Provider): void {
  Object.defineProperty(AccessToken.prototype, 'tokenType', {
    get(this: TokenWithGrantType) {
      return this.gty === 'AE' ? 'AE' : 'Bearer';
    },
  });
}

interface Revocable {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly gty?: string | undefined;
}

/** The token is still valid and the client may retry (RFC 7009 section 2.2.1). */
class TooManyRevocationsError extends errors.OIDCProviderError {
  override error_description =
    'too many tokens have been revoked within the last hour; this token is still valid';

  constructor() {
    super(429, 'temporarily_unavailable');
  }
}

interface RevocationLimits {
  readonly quota: RevocationQuotaService;
  readonly rateLimiter: ClientRateLimiter;
}

/** RFC 7009 section 2.1: only the client to which a token was issued may revoke it. */
export async function isRevocationAllowed(
  context: KoaContextWithOIDC,
  client: Client,
  token: Revocable,
  { quota, rateLimiter }: RevocationLimits,
): Promise<boolean> {
  if (client.clientId !== token.clientId)
    throw new errors.InvalidRequest('the token was issued to another client');
  // Anyone can make up an Ethereum credential: its signature has not been checked.
  if (!isEthereumCredential(token)) await rateLimiter.countPublicRequest(client);
  const retryAfterSeconds = await takeFromQuota(quota, client, token);
  if (retryAfterSeconds === undefined) return true;
  context.set('Retry-After', String(retryAfterSeconds));
  throw new TooManyRevocationsError();
}

/**
 * Public clients do not authenticate, so their revocations count against the token's user. An Ethereum credential always
 * counts against the client's tenant: its signature has not been checked, so its account may be forged.
 */
const takeFromQuota = (quota: RevocationQuotaService, client: Client, token: Revocable) =>
  client.tokenEndpointAuthMethod === 'none' && token.accountId !== undefined && !isEthereumCredential(token)
    ? quota.takeForUser(token.accountId, client.clientId)
    : quota.takeForTenant(getClientPlan(client).tenantId);
