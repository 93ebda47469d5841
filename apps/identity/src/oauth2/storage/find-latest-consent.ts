import type { ConsentDecision, UserGrant } from './oauth-models.queries.js';

export interface LatestConsent extends ConsentDecision {
  /** The grants that contain these decisions. */
  readonly grantIds: readonly string[];
}

type DecidedGrant = Pick<UserGrant, 'grantId' | 'scopes' | 'refused'>;

/**
 * Finds the latest decision on each requested scope. The result includes other scopes of the same grants if their latest
 * decision is in these grants, too.
 * @param grants of one user to one client application, latest decision first
 * @returns undefined if a requested scope was never decided
 */
export function findLatestConsent(
  grants: readonly DecidedGrant[],
  requested: ReadonlySet<string>,
): LatestConsent | undefined {
  const findDeciding = (scope: string) =>
    grants.find(({ scopes, refused }) => scopes.includes(scope) || refused.includes(scope));
  const deciding = new Set<DecidedGrant>();
  for (const scope of requested) {
    const grant = findDeciding(scope);
    if (!grant) return undefined;
    deciding.add(grant);
  }
  const granted = new Set<string>();
  const refused = new Set<string>();
  for (const grant of deciding) {
    for (const scope of grant.scopes) if (findDeciding(scope) === grant) granted.add(scope);
    for (const scope of grant.refused) if (findDeciding(scope) === grant) refused.add(scope);
  }
  return {
    granted: [...granted],
    refused: [...refused],
    grantIds: [...deciding].map(({ grantId }) => grantId),
  };
}
