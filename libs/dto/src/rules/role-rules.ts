import { z } from 'zod';
import { findListedAccountsProblem } from './allowlist-rule.js';
import type { RoleRule } from './condition.js';
import { findFunctionsProblem } from './contract-read-rule.js';
import {
  ConditionParser,
  isFields,
  listEnds,
  MAX_CONDITION_DEPTH,
  MAX_RULES,
  NO_CONDITION,
} from './condition-parser.js';
import { COMPOSITIONS } from './rule-fields.js';
import { type TokenGatingRule, storedTokenGatingRule, tokenGatingRule } from './token-gating-rule.js';
import { EXAMPLES } from '../examples.js';

/** Chosen by the creator of the role, and used in paths. */
export const roleId = z
  .string('is required: the id of the role')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.~-]{0,63}$/,
    'must be 1 to 64 letters, digits or _ . ~ -, a letter or digit first',
  );

/** Conditions per list of a community's rules. */
const MAX_CONDITIONS_PER_LIST = 50;

const TOO_MANY_RULES = `must hold at most ${MAX_RULES} rules in all`;

type Fields = Readonly<Record<string, unknown>>;

/** Parses the entries of one community. Adds an issue for every error. @returns null after adding an issue */
function parseEntry(value: unknown, index: number, parser: ConditionParser): RoleRule | null {
  const path = [index];
  if (!isFields(value)) return parser.addIssue(path, NO_CONDITION);
  const { roleId: rawRoleId, ...rest } = value;
  const { success, data, error } = roleId.safeParse(rawRoleId);
  if (!success) return parser.addIssues(error.issues, [...path, 'roleId']);
  const condition = parser.parse(rest, path, data);
  return condition && { roleId: data, condition };
}

/** A rule as it is submitted and stored; it is parsed at each use. */
export const rawRoleRule = z.looseObject({ roleId: z.string() }).meta({
  id: 'RoleRule',
  description:
    'Which role is granted, and to whom: either the fields of a TokenGatingRule, or one of `allOf`, `anyOf` (each a list ' +
    `of 1 to ${MAX_CONDITIONS_PER_LIST} conditions), \`not\` (one condition) and \`atLeast\` (\`count\` of the conditions in ` +
    `\`of\`). A condition is a rule without \`roleId\`, or again one of the four, ${MAX_CONDITION_DEPTH} levels at most. ` +
    'A role is granted when one of its entries is. Members read ' +
    '`accountCount` in the place of `accounts`.',
  example: {
    roleId: 'whale',
    allOf: [
      { type: 'NATIVE', chainId: EXAMPLES.chainId, minToken: '0.5' },
      { not: { type: 'ERC721', chainId: EXAMPLES.chainId, contractAddress: EXAMPLES.erc721 } },
    ],
  },
});
export type RawRoleRule = z.output<typeof rawRoleRule>;

/** Parses the submitted rules of a community: rules of check-roles, and compositions of them. */
export const roleRules = createRoleRules(tokenGatingRule);

/** Parses stored rules of a community, also those that an earlier release accepted. */
export const storedRoleRules = createRoleRules(storedTokenGatingRule);

/** The rules as members see them, who learn how many accounts a list has: `accountCount` stands in the place of `accounts`. */
export const hideListedAccounts = (rules: readonly RawRoleRule[]): RawRoleRule[] =>
  rules.map(({ roleId, ...condition }) => ({ roleId, ...hideAccounts(condition) }));

/** The fields of a condition that hold conditions; `atLeast` holds them in `of`. */
const NESTING_FIELDS = [...COMPOSITIONS, 'of'] as const;

function hideAccounts({ accounts, ...fields }: Fields): Fields {
  const shown: Record<string, unknown> = { ...fields };
  for (const name of NESTING_FIELDS)
    if (Object.hasOwn(fields, name)) shown[name] = hideInConditions(fields[name]);
  if (Array.isArray(accounts)) shown['accountCount'] = accounts.length;
  return shown;
}

const hideInConditions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hideInConditions);
  return isFields(value) ? hideAccounts(value) : value;
};

function createRoleRules(ruleSchema: z.ZodType<TokenGatingRule>) {
  return z
    .array(rawRoleRule)
    .max(MAX_RULES, TOO_MANY_RULES)
    .transform((values, { issues }): RoleRule[] => {
      const rules = listEnds(values);
      const message =
        rules.length > MAX_RULES
          ? TOO_MANY_RULES
          : (findListedAccountsProblem(rules) ?? findFunctionsProblem(rules));
      if (message !== undefined) {
        issues.push({ code: 'custom', message, input: undefined });
        return z.NEVER;
      }
      const parser = new ConditionParser(issues, ruleSchema, {
        maxListLength: MAX_CONDITIONS_PER_LIST,
        areForAll: true,
      });
      return values.flatMap((value, index) => parseEntry(value, index, parser) ?? []);
    });
}
