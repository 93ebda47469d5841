import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Decisions } from '../storage/decisions.js';

/**
 * What the user allowed this client application: just now, in this session, or in an earlier one. The last is copied, so that
 * each session's tokens end for themselves when one of its codes is replayed. The copy ends when the original does.
 */
export async function rememberedGrant(
  { oidc }: KoaContextWithOIDC,
  decisions: Decisions,
): Promise<Grant | undefined> {
  const { client, session, provider, result, account } = oidc;
  if (!client || !session || !account) return undefined;
  const decided = result?.consent?.grantId;
  const known = decided ?? session.grantIdFor(client.clientId);
  const grant = known === undefined ? undefined : await provider.Grant.find(known);
  const asked = oidc.requestParamOIDCScopes;
  if (grant && (decided !== undefined || isAbout(grant, asked))) return grant;
  const [userId, clientId] = [account.accountId, client.clientId];
  const earlier = await decisions.about(userId, clientId, asked);
  if (!earlier) return grant;
  const copy = new provider.Grant({ accountId: userId, clientId });
  copy.exp = Math.floor(earlier.until.getTime() / 1_000);
  if (earlier.scopes.length > 0) copy.addOIDCScope([...earlier.scopes]);
  if (earlier.refused.length > 0) copy.rejectOIDCScope([...earlier.refused]);
  const grantId = await copy.save();
  await decisions.replaceBy({ userId, clientId, grantId, refused: [] });
  return copy;
}

/** Whether it says yes or no to all of them. */
const isAbout = (grant: Grant, scopes: ReadonlySet<string>): boolean => {
  const answered = grant.getOIDCScopeEncountered().split(' ');
  return [...scopes].every((scope) => answered.includes(scope));
};
