import { z } from 'zod';
import { type Account, parseAccount } from './account.js';
import { MAX_LISTED_ACCOUNTS, sharedRuleFields } from './rule-fields.js';

/** The accounts of a list. EVM addresses are in lower case. */
export interface ListedAccounts {
  /** EVM addresses without a chain. */
  readonly plain: ReadonlySet<string>;
  /** EVM addresses by the chain that their CAIP-10 id names. */
  readonly byChain: ReadonlyMap<number, ReadonlySet<string>>;
  readonly solana: ReadonlySet<string>;
}

const listedAccounts = z
  .array(z.string(), 'is required: a list of addresses and CAIP-10 account ids')
  .min(1, 'must hold at least one account')
  .max(MAX_LISTED_ACCOUNTS, `must hold at most ${MAX_LISTED_ACCOUNTS} accounts`)
  .transform((texts, { addIssue }): ListedAccounts => {
    const plain = new Set<string>();
    const byChain = new Map<number, Set<string>>();
    const solana = new Set<string>();
    for (const [index, text] of texts.entries()) {
      const parsed = parseListedAccount(text);
      if (typeof parsed === 'string') {
        // The first one is enough: a list can hold a thousand.
        addIssue({ code: 'custom', path: [index], message: parsed, input: text });
        return z.NEVER;
      }
      if (parsed.family === 'solana') solana.add(parsed.address);
      else if (parsed.chainId === undefined) plain.add(parsed.address);
      else byChain.set(parsed.chainId, (byChain.get(parsed.chainId) ?? new Set()).add(parsed.address));
    }
    return { plain, byChain, solana };
  });

/** @returns the account, or an error message */
function parseListedAccount(text: string): Exclude<Account, { readonly family: 'user' }> | string {
  const parsed = parseAccount(text);
  if (typeof parsed === 'string' || parsed.family !== 'user') return parsed;
  return 'must be an address or a CAIP-10 account id, not a user id';
}

/** The most accounts of all lists in a request, which are parsed whenever its rules are. */
const MAX_LISTED_IN_ALL = 10_000;

/** Counts accounts before any is parsed. @returns an error message for rules that list too many */
export function findListedAccountsProblem(rules: readonly unknown[]): string | undefined {
  const count = rules.reduce((sum: number, rule) => sum + countListed(rule), 0);
  if (count <= MAX_LISTED_IN_ALL) return undefined;
  return `list ${count} accounts; at most ${MAX_LISTED_IN_ALL} fit one request`;
}

const countListed = (rule: unknown): number =>
  typeof rule === 'object' && rule !== null && 'accounts' in rule && Array.isArray(rule.accounts)
    ? rule.accounts.length
    : 0;

/** Requires an account of a list. It reads no amounts, and no chain but for accounts that may be contracts. */
export const allowlistRule = z.object({
  type: z.literal('ALLOWLIST'),
  ...sharedRuleFields,
  chainId: z.undefined().optional(),
  accounts: listedAccounts,
});
export type AllowlistRule = z.output<typeof allowlistRule>;
