import { z } from 'zod';
import type { RoleRule } from './condition.js';
import { MOST_CONDITION_LEVELS, MOST_CONDITIONS, RoleRuleReader } from './read-role-rule.js';
import { MOST_RULES } from './token-gating-request.js';

/** As it is written, and kept: what it means is read again each time. */
export const writtenRoleRule = z.looseObject({ roleId: z.string() }).meta({
  id: 'RoleRule',
  description:
    'Which role is granted, and to whom: either the fields of a TokenGatingRule, or one of `allOf`, `anyOf` (each a list ' +
    `of 1 to ${MOST_CONDITIONS} conditions) and \`not\` (one condition). A condition is a rule without \`roleId\`, or again ` +
    `one of the three, ${MOST_CONDITION_LEVELS} levels at most. A role is granted when one of its entries is.`,
  example: {
    roleId: 'whale',
    allOf: [
      { type: 'NATIVE', chainId: 1, minToken: '0.5' },
      {
        not: { type: 'ERC721', chainId: 1, contractAddress: '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D' },
      },
    ],
  },
});
export type WrittenRoleRule = z.output<typeof writtenRoleRule>;

/** The rules of a community, read. The same rules as those of check-roles, and compositions of them. */
export const roleRules = z
  .array(writtenRoleRule)
  .max(MOST_RULES, `must hold at most ${MOST_RULES} rules in all`)
  .transform((values, { issues }): RoleRule[] => {
    const reader = new RoleRuleReader(issues);
    return values.flatMap((value, index) => reader.read(value, index) ?? []);
  });
