import type { RoleRule } from '@app/dto';

/** As many as identity tells the wallets of at once. */
const MOST_MEMBERS = 1_000;
/** Roles of members that one statement stores, which has to be done in seconds. */
export const MOST_PAIRS = 20_000;

/** How many members are evaluated and stored together by these rules. */
export function membersAtOnce(rules: readonly Pick<RoleRule, 'roleId'>[]): number {
  const roles = new Set(rules.map(({ roleId }) => roleId)).size;
  return Math.max(1, Math.min(MOST_MEMBERS, Math.floor(MOST_PAIRS / Math.max(1, roles))));
}
