import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { ConsentService } from '../storage/consent.service.js';
import type { ConsentDecision } from '../storage/insert-grant.js';

/**
 * What the user allowed this client application: just now, in this session, or in an earlier one. The last is copied, so that
 * each session's tokens end for themselves when one of its codes is replayed. The copy ends when the original does.
 */
export async function loadExistingGrant(
  { oidc }: KoaContextWithOIDC,
  decisions: ConsentService,
): Promise<Grant | undefined> {
  const { client, session, provider, result, account } = oidc;
  if (!client || !session || !account) return undefined;
  const decided = result?.consent?.grantId;
  const known = decided ?? session.grantIdFor(client.clientId);
  const grant = known === undefined ? undefined : await provider.Grant.find(known);
  const asked = oidc.requestParamOIDCScopes;
  // A later refusal would have ended it.
  if (grant && (decided !== undefined || isGrantCovering(grant, asked))) return grant;
  const pair = { userId: account.accountId, clientId: client.clientId };
  const latest = await decisions.findLatest(pair, asked);
  if (!latest || (grant && isGrantUpToDate(grant, latest, asked))) return grant;
  const copy = await decisions.copy(pair, asked);
  return copy === undefined ? grant : provider.Grant.find(copy);
}

const isGrantCovering = (grant: Grant, scopes: ReadonlySet<string>): boolean => {
  const granted = grant.getOIDCScope().split(' ');
  return [...scopes].every((scope) => granted.includes(scope));
};

/** About all of these scopes. */
const isGrantUpToDate = (
  grant: Grant,
  { granted }: ConsentDecision,
  scopes: ReadonlySet<string>,
): boolean => {
  const [allowed, refused] = [grant.getOIDCScope(), grant.getRejectedOIDCScope()].map((text) =>
    text.split(' '),
  );
  return [...scopes].every((scope) => (granted.includes(scope) ? allowed : refused)?.includes(scope));
};
