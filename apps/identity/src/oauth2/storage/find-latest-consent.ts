import type { UserGrant } from './grant.service.js';
import type { ConsentDecision } from './insert-grant.js';

export interface LatestConsent extends ConsentDecision {
  /** The ids of the grants that it was read from. */
  readonly grantIds: readonly string[];
}

type DecidedGrant = Pick<UserGrant, 'grantId' | 'scopes' | 'refused'>;

/**
 * What counts about each of these scopes: what was decided about it last. What the same decisions say about others comes
 * along where it counts, too.
 * @param grants of one user to one client application, what was decided last first
 * @returns undefined when about one of the scopes nothing was decided
 */
export function findLatestConsent(
  grants: readonly DecidedGrant[],
  asked: ReadonlySet<string>,
): LatestConsent | undefined {
  const about = (scope: string) =>
    grants.find(({ scopes, refused }) => scopes.includes(scope) || refused.includes(scope));
  const from = new Set<DecidedGrant>();
  for (const scope of asked) {
    const decided = about(scope);
    if (!decided) return undefined;
    from.add(decided);
  }
  const answers = { granted: new Set<string>(), refused: new Set<string>() };
  for (const decided of from) {
    const { scopes, refused } = decided;
    for (const scope of scopes) if (about(scope) === decided) answers.granted.add(scope);
    for (const scope of refused) if (about(scope) === decided) answers.refused.add(scope);
  }
  return {
    granted: [...answers.granted],
    refused: [...answers.refused],
    grantIds: [...from].map(({ grantId }) => grantId),
  };
}
