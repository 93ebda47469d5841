import type { Member, PortalCommunity } from './community-api.js';

/** Sentences for the rules that give a role. */
export const describeRulesOfRole = ({ tpcs = [] }: PortalCommunity, roleId: string): string[] =>
  tpcs.filter((rule) => rule.roleId === roleId).map((rule) => describeRule(rule));

/** A rule in words, as far as its fields are words. */
function describeRule(rule: Readonly<Record<string, unknown>>): string {
  const composed = ['allOf', 'anyOf', 'atLeast', 'not'].find((name) => name in rule);
  if (composed !== undefined) return 'A combination of several conditions';
  return `A rule of the type ${String(rule['type'])}`;
}

/** Who holds a role, by the first members. */
export function describeHolders(
  roleId: string,
  { items, paginationToken }: { items: readonly Member[]; paginationToken?: string | undefined },
): string {
  const count = items.filter(({ roles }) => roles.includes(roleId)).length;
  if (paginationToken !== undefined)
    return count === 0 ? 'Members may hold it.' : `${count} of the first ${items.length} members hold it.`;
  if (count === 0) return 'No member holds it.';
  return count === 1 ? '1 member holds it.' : `${count} members hold it.`;
}
