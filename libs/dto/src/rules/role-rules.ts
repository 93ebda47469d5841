import { z } from 'zod';
import { EXAMPLES } from '../examples.js';
import type { RoleRule } from './condition.js';
import { MAX_CONDITION_DEPTH, MAX_CONDITIONS_PER_LIST, RoleRuleParser } from './role-rule-parser.js';
import { MAX_RULES } from './token-gating-request.js';
import { storedTokenGatingRule, tokenGatingRule, type TokenGatingRule } from './token-gating-rule.js';

/** A rule as it is submitted and stored; it is parsed at each use. */
export const rawRoleRule = z.looseObject({ roleId: z.string() }).meta({
  id: 'RoleRule',
  description:
    'Which role is granted, and to whom: either the fields of a TokenGatingRule, or one of `allOf`, `anyOf` (each a list ' +
    `of 1 to ${MAX_CONDITIONS_PER_LIST} conditions) and \`not\` (one condition). A condition is a rule without \`roleId\`, or again ` +
    `one of the three, ${MAX_CONDITION_DEPTH} levels at most. A role is granted when one of its entries is.`,
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

function createRoleRules(ruleSchema: z.ZodType<TokenGatingRule>) {
  return z
    .array(rawRoleRule)
    .max(MAX_RULES, `must hold at most ${MAX_RULES} rules in all`)
    .transform((values, { issues }): RoleRule[] => {
      const parser = new RoleRuleParser(issues, ruleSchema);
      return values.flatMap((value, index) => parser.parse(value, index) ?? []);
    });
}
