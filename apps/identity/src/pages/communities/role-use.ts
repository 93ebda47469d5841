import type { PortalCommunity } from './community-api.js';
import type { RuleNames } from '../rules/rule-sentence.js';
import { describeRuleLine } from './rule-words.service.js';

/** Sentences for the rules that give a role. */
export const describeRulesOfRole = (
  { tpcs = [] }: PortalCommunity,
  roleId: string,
  names: RuleNames,
): string[] => tpcs.filter((rule) => rule.roleId === roleId).map((rule) => describeRuleLine(rule, names));

/** Who holds a role, by the first page of its holders. */
export function describeHolders({ members, next }: { members: readonly unknown[]; next?: unknown }): string {
  const count = members.length;
  if (next !== undefined) return `${count} members or more hold it.`;
  if (count === 0) return 'No member holds it.';
  return count === 1 ? '1 member holds it.' : `${count} members hold it.`;
}
