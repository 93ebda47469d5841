/** Roles that the answer of one list may hold: some megabytes. */
const MAX_ROLES_PER_PAGE = 10_000;

/** For rows of communities `c` that a list cuts by their roles. */
export const ROLE_COUNT_COLUMN = `
  (SELECT count(*)::int FROM token_gating.community_roles r WHERE r.community_id = c.id) AS "roleCount"`;

/** How many communities, from the first, have no more roles than one answer may hold; the first always fits. */
export function countFittingCommunities(communities: readonly { readonly roleCount: number }[]): number {
  let roles = 0;
  const end = communities.findIndex(({ roleCount }, index) => {
    roles += roleCount;
    return index > 0 && roles > MAX_ROLES_PER_PAGE;
  });
  return end === -1 ? communities.length : end;
}
