import type { LinkedWallet } from '@app/dto';
import type { IdentityClient } from '../../clients/identity-client.js';
import { toWalletLookupFailure, type WalletLookupFailure } from '../../rules/rule-failures.js';

type WalletsClient = Pick<IdentityClient, 'fetchWallets'>;

export interface MemberWallets {
  readonly userId: string;
  /** The linked wallets, or the failure to load them. */
  readonly wallets: readonly LinkedWallet[] | WalletLookupFailure;
}

/**
 * Loads the wallets of members that count in their community, in order.
 * @param userIds at most 1,000
 * @throws AppError 503 `identity_unavailable`
 */
export async function loadMemberWallets(
  communityId: string,
  userIds: readonly string[],
  identity: WalletsClient,
) {
  if (userIds.length === 0) return [];
  const { users } = await identity.fetchWallets(communityId, userIds);
  const byUser = new Map(users.map(({ userId, wallets }) => [userId, wallets]));
  return userIds.map((userId) => ({ userId, wallets: byUser.get(userId) ?? [] }));
}

/** Returns a failure instead of throwing while identity is unavailable, which makes the user's roles undetermined. */
export async function loadMemberWalletsOrFailure(
  communityId: string,
  userId: string,
  identity: Pick<IdentityClient, 'loadMemberWallets'>,
  options: { readonly tenantId: string; readonly signal: AbortSignal },
): Promise<MemberWallets> {
  const wallets = await identity.loadMemberWallets(communityId, userId, options).catch(toWalletLookupFailure);
  return { userId, wallets };
}
