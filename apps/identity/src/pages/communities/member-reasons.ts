import { isFields, type RawRoleRule, type TokenGatingExplanation } from '@app/dto';
import type { RoleReasonsView } from '../views/community-views.js';
import type { Role } from './community-api.js';
import { formatMinute } from '../views/format-values.js';
import { toCssColor } from './role-color.js';
import { describeExplanation } from '../rules/explain-words.js';
import type { RuleNames } from '../rules/rule-sentence.js';
import { describeRuleHead, describeRuleLine } from './rule-words.service.js';

/** The roles of a community, and what gives them. */
interface RuledRoles {
  readonly roles: readonly Role[];
  readonly rules: readonly RawRoleRule[];
  readonly names: RuleNames;
}

/** What a check found out about somebody. */
interface CheckedRoles {
  readonly roles: readonly { readonly id: string; readonly granted: boolean | null }[];
  readonly explanations: readonly TokenGatingExplanation[];
  /** The roles are the stored ones, without explanations. */
  readonly isStored?: boolean;
}

/** About a member, and about somebody who thinks of joining. */
const VERDICTS = {
  member: {
    held: 'Has this role',
    missing: 'Does not have this role',
    unknown: 'Could not be decided now; the role stays as it was',
  },
  own: {
    held: 'You have this role',
    missing: 'You do not have this role',
    unknown: 'Could not be decided now; the role stays as it was',
  },
  invited: {
    held: 'You get this role',
    missing: 'You do not get this role yet',
    unknown: 'Could not be decided now',
  },
};

/** When roles were gained and lost, by role. */
export type RoleTimes = readonly {
  readonly roleId: string;
  readonly gainedTime: string;
  readonly lostTime?: string | undefined;
}[];

const hasLost = (times: RoleTimes, roleId: string): boolean =>
  times.some((one) => one.roleId === roleId && one.lostTime !== undefined);

/** The last changes of a role of a member, the latest one first. */
function describeHistory(times: RoleTimes, roleId: string): string | undefined {
  const found = times.find((one) => one.roleId === roleId);
  if (!found) return undefined;
  const gained = `gained on ${formatMinute(new Date(found.gainedTime))}`;
  if (found.lostTime === undefined) return `Role ${gained}.`;
  const lost = `lost on ${formatMinute(new Date(found.lostTime))}`;
  return found.lostTime >= found.gainedTime
    ? `Role ${lost}, ${gained}.`
    : `Role ${gained}, ${lost} before that.`;
}

/**
 * What each role of a community asks for and, of somebody who was checked, whether and why that is met.
 * @param rules of the community, whose order the explanations name
 * @param times of a member
 */
export function toRoleReasons(
  { roles, rules, names }: RuledRoles,
  checked?: CheckedRoles,
  whose: keyof typeof VERDICTS = 'member',
  times: RoleTimes = [],
): RoleReasonsView[] {
  return roles.map(({ id, name, color }) => {
    const history = describeHistory(times, id);
    const shown = { name, color: toCssColor(color), ...(history !== undefined && { history }) };
    if (!checked) {
      const given = rules.filter(({ roleId }) => roleId === id);
      return { ...shown, rules: given.map((rule) => ({ text: describeRuleLine(rule, names) })) };
    }
    const granted = checked.roles.find((role) => role.id === id)?.granted ?? null;
    const state = granted === null ? 'unknown' : granted ? 'held' : 'missing';
    const isGiven = rules.some(({ roleId }) => roleId === id);
    const entries = rules.flatMap((rule, index) => (rule.roleId === id ? [index] : []));
    const storedMark = checked.isStored
      ? findStoredMark(granted === true, entries.length, hasLost(times, id))
      : undefined;
    return {
      ...shown,
      verdict:
        isGiven || granted === true
          ? { state, text: VERDICTS[whose][state] }
          : { state: 'missing', text: 'Nobody gets this role yet' },
      rules: entries.flatMap((index) => {
        const explanations = checked.explanations.filter(({ rule }) => rule === index);
        const lines = describeEntry(rules, explanations, { index, names });
        return storedMark === undefined ? lines : addStoredReason(lines, storedMark);
      }),
    };
  });
}

type RuleLine = RoleReasonsView['rules'][number];

/**
 * What stored roles tell of each rule that gives one: a role ends when none of its rules is met, and comes with any of them.
 * @returns undefined where several rules may have given the role, or none was checked
 */
function findStoredMark(isHeld: boolean, ruleCount: number, isLost: boolean): 'yes' | 'no' | undefined {
  if (isHeld) return ruleCount === 1 ? 'yes' : undefined;
  return isLost ? 'no' : undefined;
}

function addStoredReason([line, ...others]: RuleLine[], mark: 'yes' | 'no'): RuleLine[] {
  if (!line) return [];
  const text =
    mark === 'yes'
      ? 'The last check that decided gave the role.'
      : 'The last check that decided took the role.';
  return [{ ...line, reason: { mark, markText: MARKS[mark], text } }, ...others];
}

/**
 * The lines of one rule: each group of conditions has a line that says how they belong together, and then those of its conditions, a level
 * below.
 */
function describeEntry(
  rules: readonly RawRoleRule[],
  explanations: readonly TokenGatingExplanation[],
  { index, names }: { readonly index: number; readonly names: RuleNames },
): RuleLine[] {
  const { roleId: _, ...condition } = rules[index] ?? { roleId: '' };
  if (explanations.length === 0) return [{ text: describeRuleLine(condition, names) }];
  const byPath = new Map(explanations.map((explanation) => [explanation.path ?? '', explanation]));
  return describeCondition(condition, { byPath, names, path: [], level: 0, isNegated: false });
}

interface Place {
  readonly byPath: ReadonlyMap<string, TokenGatingExplanation>;
  readonly names: RuleNames;
  readonly path: readonly (string | number)[];
  readonly level: number;
  /** Whether the condition must not be met. */
  readonly isNegated: boolean;
}

/** Groups are told as `describeRule` puts them into words, which says "not" of a group and not of its parts. */
function describeCondition(condition: unknown, place: Place): RuleLine[] {
  const { byPath, names, path, level, isNegated } = place;
  const said = isNegated ? { not: condition } : condition;
  const groupOf = (parts: readonly unknown[], step: readonly string[], areNegated = false): RuleLine[] => [
    { text: describeRuleHead(said, names), level },
    ...parts.flatMap((part, at) =>
      describeCondition(part, {
        ...place,
        path: [...path, ...step, ...(areNegated ? [] : [at])],
        level: level + 1,
        isNegated: areNegated,
      }),
    ),
  ];
  if (isFields(condition)) {
    const { allOf, anyOf, atLeast, not } = condition;
    if (Array.isArray(allOf)) return groupOf(allOf, ['allOf']);
    if (Array.isArray(anyOf)) return groupOf(anyOf, ['anyOf']);
    if (isFields(atLeast) && Array.isArray(atLeast['of'])) return groupOf(atLeast['of'], ['atLeast', 'of']);
    if (not !== undefined && isNegated) return groupOf([not], ['not'], true);
    if (not !== undefined)
      return describeCondition(not, { ...place, path: [...path, 'not'], isNegated: true });
  }
  const text = describeRuleLine(said, names);
  const explanation = byPath.get(path.join('.'));
  if (!explanation) return [{ text, level }];
  return [{ text, level, reason: toReason(isNegated ? negate(explanation) : explanation) }];
}

/** What must not be met is met where the condition within is not. Of its amounts only what is held stays true. */
const negate = ({ granted, held, ...explanation }: TokenGatingExplanation): TokenGatingExplanation =>
  granted === null || held === undefined
    ? { ...explanation, granted: granted === null ? null : !granted }
    : { ...explanation, held, granted: !granted, code: 'held_enough' };

const MARKS = { yes: 'met', no: 'not met', unknown: 'unknown' } as const;

function toReason(explanation: TokenGatingExplanation) {
  const { granted } = explanation;
  const mark = granted === null ? 'unknown' : granted ? 'yes' : 'no';
  return { mark, markText: MARKS[mark], text: describeExplanation(explanation) } as const;
}
