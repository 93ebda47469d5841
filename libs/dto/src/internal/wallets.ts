import { z } from 'zod';

const userId = z.string().min(1).max(128);

/** Bounds the cost of evaluating a user's roles. */
export const MAX_WALLETS_PER_USER = 25;

/** A wallet whose balances rules check. An `eoa` counts on every EVM chain, a `contract` on its own (contract.md section 4). */
export const linkedWallet = z.object({
  type: z.enum(['eoa', 'contract', 'solana']),
  /** The reference of CAIP-2. */
  chainId: z.string(),
  address: z.string(),
});
export type LinkedWallet = Readonly<z.infer<typeof linkedWallet>>;

const communityId = z.string().min(1).max(128);

/** POST /internal/wallets of identity: the wallets of users that count in a community. */
export const walletsRequest = z.object({
  userIds: z.array(userId).min(1).max(1_000),
  /** The release before this one sends none: only wallets that count everywhere. */
  communityId: communityId.optional(),
});
export type WalletsRequest = z.infer<typeof walletsRequest>;

/** Omits users without wallets and unknown users. */
export const walletsResponse = z.object({
  users: z.array(z.object({ userId: z.string(), wallets: z.array(linkedWallet) })),
});
export type WalletsResponse = z.infer<typeof walletsResponse>;

/** Members of one request for their wallets: with the maximum of wallets each, the answer has 250 KB. */
export const MAX_MEMBERS_PER_WALLET_LOOKUP = 100;

/** POST /internal/wallets/of-members of identity: the wallets of members that count in the community of each. */
export const memberWalletsRequest = z.object({
  members: z.array(z.object({ communityId, userId })).min(1).max(MAX_MEMBERS_PER_WALLET_LOOKUP),
});
export type MemberWalletsRequest = z.infer<typeof memberWalletsRequest>;

/** The wallets of each member in the order of the request; none for unknown users. */
export const memberWalletsResponse = z.object({ wallets: z.array(z.array(linkedWallet)) });
export type MemberWalletsResponse = z.infer<typeof memberWalletsResponse>;

/**
 * POST /internal/wallets/of-account of identity: the wallets of a user, if the requester is that user or a client application
 * with the scope `user:wallet:read` (contract.md section 5).
 */
export const accountWalletsRequest = z.object({
  userId,
  /** The requester. The name is that of the wire between neighbouring releases. */
  asker: z.object({ userId: userId.optional(), clientId: userId.optional() }),
});
export type AccountWalletsRequest = z.infer<typeof accountWalletsRequest>;

/** Null for an unknown user and for a requester without permission, which must look the same. */
export const accountWalletsResponse = z.object({ wallets: z.array(linkedWallet).nullable() });
export type AccountWalletsResponse = z.infer<typeof accountWalletsResponse>;

/** Users of one request for the readers of their wallets. */
export const MAX_USERS_PER_READER_LOOKUP = 100;

/** POST /internal/wallets/readers of identity: the client applications that may read the wallets of users. */
export const walletReadersRequest = z.object({
  userIds: z.array(userId).min(1).max(MAX_USERS_PER_READER_LOOKUP),
});
export type WalletReadersRequest = z.infer<typeof walletReadersRequest>;

/** Applications to which each user granted `user:wallet:read`. Omits users without any, and unknown ones. */
export const walletReadersResponse = z.object({
  users: z.array(z.object({ userId: z.string(), clientIds: z.array(z.string()) })),
});
export type WalletReadersResponse = z.infer<typeof walletReadersResponse>;

/** POST /internal/communities/deleted of identity: removes some of the wallets that were linked in a deleted community. */
export const deletedCommunity = z.object({ communityId: z.string().min(1).max(128) });
export type DeletedCommunity = z.infer<typeof deletedCommunity>;

export const deletedCommunityResponse = z.object({ hasMore: z.boolean() });
export type DeletedCommunityResponse = z.infer<typeof deletedCommunityResponse>;

/** Keeps a response below the limit of a request between apps: users may have unlinked many wallets. */
export const MAX_USERS_PER_LINK_LOOKUP = 100;

/** POST /internal/wallets/links of identity: when the wallets of users that count in a community were linked and unlinked. */
export const walletLinksRequest = z.object({
  userIds: z.array(userId).min(1).max(MAX_USERS_PER_LINK_LOOKUP),
  communityId: z.string().min(1).max(128),
});
export type WalletLinksRequest = z.infer<typeof walletLinksRequest>;

/** The time in which a user has a wallet. Both times are identity's, with microseconds. */
export const walletLink = z.object({
  /** CAIP-10. */
  accountId: z.string(),
  linkedAt: z.iso.datetime(),
  /** Absent as long as the wallet is linked. */
  unlinkedAt: z.iso.datetime().optional(),
});
export type WalletLink = Readonly<z.infer<typeof walletLink>>;

/** Omits users without links. Links that ended are remembered for some days. */
export const walletLinksResponse = z.object({
  users: z.array(z.object({ userId: z.string(), links: z.array(walletLink) })),
});
export type WalletLinksResponse = z.infer<typeof walletLinksResponse>;

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
