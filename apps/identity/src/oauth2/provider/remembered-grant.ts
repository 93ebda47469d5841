import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Decisions } from '../storage/decisions.js';
import type { Answers } from '../storage/insert-grant.js';

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
  // A later refusal would have ended it.
  if (grant && (decided !== undefined || allows(grant, asked))) return grant;
  const pair = { userId: account.accountId, clientId: client.clientId };
  const latest = await decisions.about(pair, asked);
  if (!latest || (grant && saysTheSame(grant, latest, asked))) return grant;
  const copy = await decisions.copy(pair, asked);
  return copy === undefined ? grant : provider.Grant.find(copy);
}

const allows = (grant: Grant, scopes: ReadonlySet<string>): boolean => {
  const granted = grant.getOIDCScope().split(' ');
  return [...scopes].every((scope) => granted.includes(scope));
};

/** About all of these scopes. */
const saysTheSame = (grant: Grant, { granted }: Answers, scopes: ReadonlySet<string>): boolean => {
  const [allowed, refused] = [grant.getOIDCScope(), grant.getRejectedOIDCScope()].map((text) =>
    text.split(' '),
  );
  return [...scopes].every((scope) => (granted.includes(scope) ? allowed : refused)?.includes(scope));
};
