import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Grants } from '../storage/grants.js';

/**
 * What the user allowed this client application: just now, in this session, or in an earlier one. The last is copied, so that
 * each session's tokens end for themselves when one of its codes is replayed.
 */
export async function rememberedGrant(
  { oidc }: KoaContextWithOIDC,
  grants: Grants,
): Promise<Grant | undefined> {
  const { client, session, provider, result, account } = oidc;
  if (!client || !session || !account) return undefined;
  const known = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const grant = known === undefined ? undefined : await provider.Grant.find(known);
  if (grant) return grant;
  const [earlier] = await grants.of(account.accountId, client.clientId);
  if (!earlier) return undefined;
  const copy = new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  copy.addOIDCScope([...earlier.scopes]);
  if (earlier.refused.length > 0) copy.rejectOIDCScope([...earlier.refused]);
  await copy.save();
  return copy;
}
