import { z } from 'zod';

/** POST /internal/balances of token-gating: what a wallet holds of the coins and tokens that the deployment watches. */
export const balancesRequest = z.strictObject({
  /** CAIP-10. A plain key is looked at on every chain, a contract account on its own only. */
  accountId: z.string().min(1).max(256),
  isContract: z.boolean(),
});
export type BalancesRequest = z.infer<typeof balancesRequest>;

/** contract.md section 7. A balance is decimal text in whole tokens. */
export const accountBalance = z.object({
  cashtag: z.string(),
  /** Absent for a chain's own coin would break clients that read it: the zero address stands for it. */
  tokenAddress: z.string(),
  chainId: z.number(),
  balance: z.string(),
});

export type AccountBalance = z.infer<typeof accountBalance>;

/** What could not be read in time is left out. */
export const balancesResponse = z.object({ accounts: z.array(accountBalance) });
export type BalancesResponse = z.infer<typeof balancesResponse>;
