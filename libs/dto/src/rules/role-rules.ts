import { z } from 'zod';
import { findListedAccountsProblem } from './allowlist-rule.js';
import type { Condition, RoleRule } from './condition.js';
import { MAX_RULES } from './token-gating-request.js';
import { isEmptyField } from './rule-fields.js';
import { type TokenGatingRule, storedTokenGatingRule, tokenGatingRule } from './token-gating-rule.js';
import { EXAMPLES } from '../examples.js';

/** Chosen by the creator of the role, and used in paths. */
export const roleId = z
  .string('is required: the id of the role')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.~-]{0,63}$/,
    'must be 1 to 64 letters, digits or _ . ~ -, a letter or digit first',
  );

/** Levels of nested conditions, the outermost included. */
export const MAX_CONDITION_DEPTH = 8;
/** Conditions per `allOf` or `anyOf`. */
const MAX_CONDITIONS_PER_LIST = 50;

const COMPOSITIONS = ['allOf', 'anyOf', 'not'] as const;
type Composition = (typeof COMPOSITIONS)[number];
type Fields = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

interface ConditionContext {
  readonly path: Path;
  readonly roleId: string;
  readonly level: number;
}

/** Parses the rules of one community, whose total number is limited. Adds an issue for every error. */
class RoleRuleParser {
  private ruleCount = 0;

  constructor(
    private readonly issues: z.core.$ZodRawIssue[],
    private readonly ruleSchema: z.ZodType<TokenGatingRule>,
  ) {}

  /** @returns null after adding an issue */
  parse(value: unknown, index: number): RoleRule | null {
    const path = [index];
    if (!isFields(value)) return this.addIssue(path, 'must be a rule, or allOf, anyOf or not');
    const { roleId: rawRoleId, ...rest } = value;
    const { success, data, error } = roleId.safeParse(rawRoleId);
    if (!success) return this.addIssues(error.issues, [...path, 'roleId']);
    const condition = this.parseCondition(rest, { path, roleId: data, level: 1 });
    return condition && { roleId: data, condition };
  }

  private parseCondition(value: unknown, context: ConditionContext): Condition | null {
    const { path, level } = context;
    if (!isFields(value)) return this.addIssue(path, 'must be a rule, or allOf, anyOf or not');
    if (level > MAX_CONDITION_DEPTH)
      return this.addIssue(path, `is nested deeper than ${MAX_CONDITION_DEPTH} levels`);
    const [kind, second] = COMPOSITIONS.filter((name) => Object.hasOwn(value, name));
    if (kind === undefined) return this.parseRule(value, context);
    if (second !== undefined) return this.addIssue(path, `must not have both ${kind} and ${second}`);
    const [other] = Object.keys(value).filter((name) => name !== kind);
    if (other !== undefined) return this.addIssue([...path, other], `is not allowed beside ${kind}`);
    return this.parseComposition(kind, value[kind], { ...context, path: [...path, kind], level: level + 1 });
  }

  private parseComposition(kind: Composition, value: unknown, context: ConditionContext): Condition | null {
    if (kind === 'not') {
      const of = this.parseCondition(value, context);
      return of && { kind, of };
    }
    if (!Array.isArray(value) || value.length < 1 || value.length > MAX_CONDITIONS_PER_LIST)
      return this.addIssue(context.path, `must be a list of 1 to ${MAX_CONDITIONS_PER_LIST} conditions`);
    const of = value.map((one, index) =>
      this.parseCondition(one, { ...context, path: [...context.path, index] }),
    );
    return of.every((one) => one !== null) ? { kind, of } : null;
  }

  private parseRule(fields: Fields, { path, roleId }: ConditionContext): Condition | null {
    this.ruleCount += 1;
    // Rules beyond the limit are skipped, because parsing them costs time and the issue is added already.
    if (this.ruleCount > MAX_RULES) {
      if (this.ruleCount === MAX_RULES + 1) this.addIssue([], `must hold at most ${MAX_RULES} rules in all`);
      return null;
    }
    if (!isEmptyField(fields['roleId']))
      return this.addIssue([...path, 'roleId'], 'is only allowed beside the outermost condition');
    if (!isEmptyField(fields['vaults']))
      return this.addIssue(
        [...path, 'vaults'],
        'is only allowed in a check: rules of a community are for all',
      );
    const { data, error } = this.ruleSchema.safeParse({ ...fields, roleId });
    if (error) return this.addIssues(error.issues, path);
    return { kind: 'rule', rule: data };
  }

  private addIssue(path: Path, message: string): null {
    this.issues.push({ code: 'custom', path: [...path], message, input: undefined });
    return null;
  }

  private addIssues(issues: readonly z.core.$ZodIssue[], base: Path): null {
    for (const issue of issues)
      this.issues.push({ ...issue, path: [...base, ...issue.path], input: undefined });
    return null;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A rule as it is submitted and stored; it is parsed at each use. */
export const rawRoleRule = z.looseObject({ roleId: z.string() }).meta({
  id: 'RoleRule',
  description:
    'Which role is granted, and to whom: either the fields of a TokenGatingRule, or one of `allOf`, `anyOf` (each a list ' +
    `of 1 to ${MAX_CONDITIONS_PER_LIST} conditions) and \`not\` (one condition). A condition is a rule without \`roleId\`, or again ` +
    `one of the three, ${MAX_CONDITION_DEPTH} levels at most. A role is granted when one of its entries is. Members read ` +
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

function hideAccounts({ accounts, ...fields }: Fields): Fields {
  const shown: Record<string, unknown> = { ...fields };
  for (const name of COMPOSITIONS)
    if (Object.hasOwn(fields, name)) shown[name] = hideInConditions(fields[name]);
  if (Array.isArray(accounts)) shown['accountCount'] = accounts.length;
  return shown;
}

const hideInConditions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hideInConditions);
  return isFields(value) ? hideAccounts(value) : value;
};

/** The condition and all that it is composed of, none of them parsed. */
function listConditions(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(listConditions);
  if (!isFields(value)) return [];
  return [value, ...COMPOSITIONS.flatMap((name) => listConditions(value[name]))];
}

function createRoleRules(ruleSchema: z.ZodType<TokenGatingRule>) {
  return z
    .array(rawRoleRule)
    .max(MAX_RULES, `must hold at most ${MAX_RULES} rules in all`)
    .transform((values, { issues }): RoleRule[] => {
      const message = findListedAccountsProblem(values.flatMap(listConditions));
      if (message !== undefined) {
        issues.push({ code: 'custom', message, input: undefined });
        return z.NEVER;
      }
      const parser = new RoleRuleParser(issues, ruleSchema);
      return values.flatMap((value, index) => parser.parse(value, index) ?? []);
    });
}
