import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import { isEthereumCredential } from './wallet-token-types.js';

interface Revocable {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly gty?: string | undefined;
}

/** RFC 7009 section 2.2.1: it was not revoked, and it is worth trying again. */
class TooManyRevocationsError extends errors.OIDCProviderError {
  override error_description = 'too many tokens were revoked within the hour: this one was not';

  constructor() {
    super(429, 'temporarily_unavailable');
  }
}

/** RFC 7009 section 2.1: a token is revoked by whom it was issued to, and others hear that they may not. */
export async function isRevocationAllowed(
  context: KoaContextWithOIDC,
  client: Client,
  token: Revocable,
  quota: RevocationQuotaService,
): Promise<boolean> {
  if (client.clientId !== token.clientId)
    throw new errors.InvalidRequest('the token was issued to another client');
  const restSeconds = await takeFromQuota(quota, client, token);
  if (restSeconds === undefined) return true;
  context.set('Retry-After', String(restSeconds));
  throw new TooManyRevocationsError();
}

/**
 * Anybody can speak as a public client: there it is the token's user who is in the way of nobody else. Of a credential only
 * its message was read: nothing says that whoever it names has ever heard of it.
 */
const takeFromQuota = (
  quota: RevocationQuotaService,
  { clientId, tokenEndpointAuthMethod }: Client,
  token: Revocable,
) =>
  tokenEndpointAuthMethod === 'none' && token.accountId !== undefined && !isEthereumCredential(token)
    ? quota.takeForUser(token.accountId, clientId)
    : quota.takeForClient(clientId);
