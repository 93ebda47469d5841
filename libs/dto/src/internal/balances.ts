import { z } from 'zod';

/** POST /internal/balances of token-gating: the balances of an account in the coins and tokens that the deployment lists. */
export const balancesRequest = z.object({
  /** CAIP-10. An externally owned account is read on every chain, a contract account on its own chain only. */
  accountId: z.string().min(1).max(256),
  isContract: z.boolean(),
  /** The tenant whose share of the reads in progress the reads take. Absent from instances of the previous release. */
  tenantId: z.string().min(1).max(256).optional(),
});
export type BalancesRequest = z.infer<typeof balancesRequest>;

/** contract.md section 7. A balance is decimal text in whole tokens. */
export const accountBalance = z.object({
  cashtag: z.string(),
  /** Zero bytes for a chain's native coin (20, on Solana 32), because existing clients require the field. */
  tokenAddress: z.string(),
  chainId: z.number(),
  balance: z.string(),
});

export type AccountBalance = z.infer<typeof accountBalance>;

/** Omits balances that could not be read in time. */
export const balancesResponse = z.object({ accounts: z.array(accountBalance) });
export type BalancesResponse = z.infer<typeof balancesResponse>;
