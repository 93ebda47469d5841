import { z } from 'zod';

const userId = z.string().min(1).max(128);

/** Wallets that one user may have: bounds what their roles cost to evaluate. */
export const MAX_WALLETS_PER_USER = 25;

/**
 * A wallet as rules look at it. `eoa` counts on every EVM chain, `contract` only on the one it was proven on
 * (contract.md section 4).
 */
export const linkedWallet = z.object({
  type: z.enum(['eoa', 'contract', 'solana']),
  /** The reference of CAIP-2. */
  chainId: z.string(),
  address: z.string(),
});
export type LinkedWallet = Readonly<z.infer<typeof linkedWallet>>;

/** POST /internal/wallets of identity: what these users have. */
export const walletsRequest = z.strictObject({ userIds: z.array(userId).min(1).max(1_000) });
export type WalletsRequest = z.infer<typeof walletsRequest>;

/** Users without a wallet, and those that nobody knows, are left out. */
export const walletsResponse = z.object({
  users: z.array(z.object({ userId: z.string(), wallets: z.array(linkedWallet) })),
});
export type WalletsResponse = z.infer<typeof walletsResponse>;

/**
 * POST /internal/wallets/of-account of identity: the wallets of a user id that somebody wants checked, as far as they may
 * (contract.md section 5): the user, or a client application to which the user granted `user:wallet:read`.
 */
export const accountWalletsRequest = z.strictObject({
  userId,
  asker: z.strictObject({ userId: userId.optional(), clientId: userId.optional() }),
});
export type AccountWalletsRequest = z.infer<typeof accountWalletsRequest>;

/** Null when it is not for the asker to know, or nobody knows such a user: the two look the same. */
export const accountWalletsResponse = z.object({ wallets: z.array(linkedWallet).nullable() });
export type AccountWalletsResponse = z.infer<typeof accountWalletsResponse>;
