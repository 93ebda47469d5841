/** Roles in the response of one list, which keeps it within some megabytes. */
const MAX_ROLES_PER_PAGE = 10_000;

/** Counts how many of the first communities fit one response by their number of roles; at least one. */
export function countFittingCommunities(communities: readonly { readonly roleCount: number }[]): number {
  let roles = 0;
  const end = communities.findIndex(({ roleCount }, index) => {
    roles += roleCount;
    return index > 0 && roles > MAX_ROLES_PER_PAGE;
  });
  return end === -1 ? communities.length : end;
}
