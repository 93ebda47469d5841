import { z } from 'zod';
import { acceptValidInput } from '../accept-valid-input.js';
import { EXAMPLES } from '../examples.js';
import { account } from './account.js';
import { findListedAccountsProblem } from './allowlist-rule.js';
import { isComposition, listEnds, MAX_RULES } from './condition-parser.js';
import { findFunctionsProblem } from './contract-read-rule.js';
import { ruleEntry, storedRuleEntry } from './rule-tree.js';

/** Counts rules, listed accounts and functions of contracts of all entries, those of trees included, before any is parsed. */
export function limitRules(rules: unknown, { addIssue }: z.RefinementCtx): unknown {
  const message = Array.isArray(rules) ? findSizeProblem(rules) : undefined;
  if (message === undefined) return rules;
  addIssue({ code: 'custom', message });
  return z.NEVER;
}

function findSizeProblem(entries: readonly unknown[]): string | undefined {
  const rules = entries.some(isComposition) ? listEnds(entries) : entries;
  return rules !== entries && rules.length > MAX_RULES
    ? `must hold at most ${MAX_RULES} rules, those of trees included`
    : (findListedAccountsProblem(rules) ?? findFunctionsProblem(rules));
}

/** spec.md 2.1 */
export const tokenGatingRequest = acceptValidInput(
  z
    .strictObject({
      account: account.describe(
        'Wallet address of the user, CAIP-10 account id, or user id of the platform. A contract wallet that is given by its CAIP-10 id counts on the chain of that id only.',
      ),
      rules: z.preprocess(
        limitRules,
        z
          .array(ruleEntry)
          .min(1, 'must hold at least one rule')
          .max(MAX_RULES, `must hold at most ${MAX_RULES} rules`),
      ),
      callbackUrl: z
        .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
        .max(2_048)
        .optional()
        .describe('The result is posted there; the call answers at once.'),
      async: z.boolean().optional().describe('The call answers at once; the result is polled.'),
      explain: z
        .boolean()
        .optional()
        .describe(
          'Only with `async` or `callbackUrl`: the result says why, of each rule, to the caller that asked, when polled. Checks that ' +
            'are answered at once take the header `Prefer: explain`.',
        ),
    })
    .meta({
      id: 'TokenGatingRequest',
      description: 'Which roles do these rules grant to this account?',
      example: {
        account: EXAMPLES.holder,
        rules: [
          {
            type: 'ERC20',
            chainId: EXAMPLES.chainId,
            contractAddress: EXAMPLES.erc20,
            minToken: '100',
            roleId: 'whale',
          },
        ],
      },
    }),
);
export type TokenGatingRequest = z.output<typeof tokenGatingRequest>;

/** The stored part of an asynchronous check, also one that an earlier release accepted. */
export const storedTokenGatingRequest = z.object({ account, rules: z.array(storedRuleEntry) });
