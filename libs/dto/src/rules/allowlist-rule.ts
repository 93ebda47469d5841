import { z } from 'zod';
import { account } from './account.js';
import { sharedRuleFields } from './rule-fields.js';

/** The most accounts that a rule of type ALLOWLIST names. */
export const MAX_LISTED_ACCOUNTS = 1_000;

/** The accounts of a list. EVM addresses are in lower case. */
export interface ListedAccounts {
  readonly count: number;
  /** EVM addresses without a chain. */
  readonly plain: ReadonlySet<string>;
  /** EVM addresses by the chain that their CAIP-10 id names. */
  readonly byChain: ReadonlyMap<number, ReadonlySet<string>>;
  readonly solana: ReadonlySet<string>;
}

const NO_USER_IDS = 'must be an address or a CAIP-10 account id, not a user id';

const listedAccounts = z
  .array(z.string(), 'is required: a list of addresses and CAIP-10 account ids')
  .min(1, 'must hold at least one account')
  .max(MAX_LISTED_ACCOUNTS, `must hold at most ${MAX_LISTED_ACCOUNTS} accounts`)
  .transform((texts, { addIssue }): ListedAccounts => {
    const plain = new Set<string>();
    const byChain = new Map<number, Set<string>>();
    const solana = new Set<string>();
    texts.forEach((text, index) => {
      const { data, error } = account.safeParse(text);
      const message = error?.issues[0]?.message ?? (data?.family === 'user' ? NO_USER_IDS : undefined);
      if (message !== undefined) addIssue({ code: 'custom', path: [index], message, input: text });
      else if (data?.family === 'solana') solana.add(data.address);
      else if (data?.family === 'evm') getAddresses(data.chainId).add(data.address);
    });
    return { count: texts.length, plain, byChain, solana };

    function getAddresses(chainId: number | undefined): Set<string> {
      if (chainId === undefined) return plain;
      const known = byChain.get(chainId) ?? new Set();
      byChain.set(chainId, known);
      return known;
    }
  });

/** Requires an account of a list. It reads no amounts, and no chain but for accounts that may be contracts. */
export const allowlistRule = z.object({
  type: z.literal('ALLOWLIST'),
  ...sharedRuleFields,
  chainId: z.undefined().optional(),
  accounts: listedAccounts,
});
export type AllowlistRule = z.output<typeof allowlistRule>;
