import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { ConsentService } from '../storage/consent.service.js';
import type { ConsentDecision } from '../storage/oauth-models.queries.js';

/**
 * Finds the grant of this interaction, of this session, or of an earlier session. A grant of an earlier session is copied,
 * so that replaying a code revokes the tokens of its own session only. The copy has the original's expiry.
 */
export async function loadExistingGrant(
  { oidc }: KoaContextWithOIDC,
  consents: ConsentService,
): Promise<Grant | undefined> {
  const { client, session, provider, result, account } = oidc;
  if (!client || !session || !account) return undefined;
  const newGrantId = result?.consent?.grantId;
  const grantId = newGrantId ?? session.grantIdFor(client.clientId);
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const requested = oidc.requestParamOIDCScopes;
  // A grant with all scopes is up to date, because a later refusal would have revoked it.
  if (grant && (newGrantId !== undefined || isGrantCovering(grant, requested))) return grant;
  const key = { userId: account.accountId, clientId: client.clientId };
  const latest = await consents.findLatest(key, requested);
  if (!latest || (grant && isGrantUpToDate(grant, latest, requested))) return grant;
  const copyId = await consents.copy(key, requested);
  return copyId === undefined ? grant : provider.Grant.find(copyId);
}

const isGrantCovering = (grant: Grant, scopes: ReadonlySet<string>): boolean => {
  const granted = grant.getOIDCScope().split(' ');
  return [...scopes].every((scope) => granted.includes(scope));
};

/** Whether the grant contains the latest decision on each of these scopes. */
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
