import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { RevocationQuota } from '../../revocations/revocation-quota.js';

interface Revocable {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
}

/** RFC 7009 section 2.2.1: it was not revoked, and it is worth trying again. */
class TooManyRevocations extends errors.OIDCProviderError {
  override error_description = 'too many tokens were revoked within the hour: this one was not';

  constructor() {
    super(429, 'temporarily_unavailable');
  }
}

/** RFC 7009 section 2.1: a token is revoked by whom it was issued to, and others hear that they may not. */
export async function mayRevoke(
  context: KoaContextWithOIDC,
  client: Client,
  token: Revocable,
  quota: RevocationQuota,
): Promise<boolean> {
  if (client.clientId !== token.clientId)
    throw new errors.InvalidRequest('the token was issued to another client');
  const restSeconds = await takeFrom(quota, client, token);
  if (restSeconds === undefined) return true;
  context.set('Retry-After', String(restSeconds));
  throw new TooManyRevocations();
}

/** Anybody can speak as a public client: there it is the token's user who is in the way of nobody else. */
const takeFrom = (quota: RevocationQuota, client: Client, { accountId }: Revocable) =>
  client.tokenEndpointAuthMethod === 'none' && accountId !== undefined
    ? quota.takeOfUser(accountId)
    : quota.takeOfClient(client.clientId);
