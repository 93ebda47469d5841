import { toWalletLookupFailure } from '../../rules/wallet-lookup-failure.js';
import type { IdentityClient } from '../../clients/identity-client.js';
import type { MemberWallets } from './member-evaluation.service.js';

type WalletsClient = Pick<IdentityClient, 'fetchWallets'>;

/**
 * Members with what counts as theirs.
 * @param userIds 1,000 at most
 * @throws AppError 503 `identity_unavailable`
 */
export async function loadMemberWallets(
  userIds: readonly string[],
  identity: WalletsClient,
): Promise<MemberWallets[]> {
  if (userIds.length === 0) return [];
  const { users } = await identity.fetchWallets(userIds);
  const byUser = new Map(users.map(({ userId, wallets }) => [userId, wallets]));
  return userIds.map((userId) => ({ userId, wallets: byUser.get(userId) ?? [] }));
}

/** The same for one who waits for an answer: while identity cannot be asked no wallets are known, which is not the same as none. */
export async function loadMemberWalletsOrFailure(
  userId: string,
  identity: WalletsClient,
): Promise<MemberWallets[]> {
  const found = await loadMemberWallets([userId], identity).catch(toWalletLookupFailure);
  return 'code' in found ? [{ userId, wallets: found }] : found;
}
