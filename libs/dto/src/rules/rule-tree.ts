import { z } from 'zod';
import { acceptValidInput, chooseSchema, documentOnly } from '../accept-valid-input.js';
import type { RoleRule } from './condition.js';
import {
  ConditionParser,
  isComposition,
  isFields,
  MAX_CONDITION_DEPTH,
  MAX_RULES,
} from './condition-parser.js';
import { isEmptyField, ruleFields, sharedRuleFields } from './rule-fields.js';
import { storedTokenGatingRule, tokenGatingRule, type TokenGatingRule } from './token-gating-rule.js';

/** An entry of the rules of a request: a rule, or a tree of rules that grants one role. */
export type RuleEntry = TokenGatingRule | RoleRule;

export const isTree = (entry: RuleEntry): entry is RoleRule => 'condition' in entry;

const LIST = `A list of 1 to ${MAX_RULES} conditions`;
const createList = () => z.array(createCondition()).min(1).max(MAX_RULES);

/** Describes a submitted tree, whose conditions ConditionParser parses: by itself it accepts whatever it gets. */
const submittedTree = z
  .strictObject({
    roleId: ruleFields.shape.roleId.describe(
      'Role that the tree grants; "001" when absent. The conditions within have none.',
    ),
    get allOf(): z.ZodOptional<z.ZodArray<z.ZodType>> {
      return createList().optional().describe(`${LIST}, all of which must be satisfied.`);
    },
    get anyOf(): z.ZodOptional<z.ZodArray<z.ZodType>> {
      return createList().optional().describe(`${LIST}, one of which must be satisfied.`);
    },
    get not(): z.ZodOptional<z.ZodType> {
      return createCondition()
        .optional()
        .describe(
          'A condition that must not be satisfied. A rule that does not apply to the account, because that is of another chain family ' +
            "or does not count on the rule's chain, satisfies neither a condition nor its `not`.",
        );
    },
    get atLeast(): z.ZodOptional<z.ZodObject<{ count: z.ZodInt; of: z.ZodArray<z.ZodType> }>> {
      return z
        .strictObject({ count: z.int().min(1).max(MAX_RULES), of: createList() })
        .optional()
        .describe(`\`of\` is a list of 1 to ${MAX_RULES} conditions, \`count\` of which must be satisfied.`);
    },
  })
  .meta({
    id: 'TokenGatingTree',
    description:
      'Rules that grant a role together: exactly one of `allOf`, `anyOf`, `not` and `atLeast`, of rules and of trees without `roleId`, ' +
      `${MAX_CONDITION_DEPTH} levels at most. A rule that cannot be read, for whatever reason, makes the tree undetermined only where ` +
      'its result could change that of the tree.',
  });
const documentedTree = documentOnly(submittedTree);

/** A condition within a tree, of which the document has no name but those of rules and trees. */
function createCondition(): z.ZodType {
  return z.union([tokenGatingRule, submittedTree]);
}

/** A tree whose rules are parsed by `ruleSchema`. */
function createTree(ruleSchema: z.ZodType<TokenGatingRule>) {
  return documentedTree.transform((submitted: unknown, { issues }): RoleRule => {
    const parser = new ConditionParser(issues, ruleSchema, { maxListLength: MAX_RULES, areForAll: false });
    const { roleId: submittedRoleId, ...rest } = isFields(submitted) ? submitted : {};
    const { data: roleId, error } = treeRoleId.safeParse(submittedRoleId);
    if (error) parser.addIssues(error.issues, ['roleId']);
    const condition = parser.parse(rest, [], roleId ?? '');
    return condition && roleId !== undefined ? { roleId, condition } : z.NEVER;
  });
}

/** The role of a tree, as that of a rule. */
const treeRoleId = acceptValidInput(
  z
    .preprocess((value) => (isEmptyField(value) ? undefined : value), ruleFields.shape.roleId)
    .pipe(sharedRuleFields.roleId),
);

/** Parses an entry of the rules of a request. */
export const ruleEntry = chooseSchema(tokenGatingRule, createTree(tokenGatingRule), isComposition);

/** Parses a stored entry, also one that an earlier release accepted. */
export const storedRuleEntry = chooseSchema(
  storedTokenGatingRule,
  createTree(storedTokenGatingRule),
  isComposition,
);
