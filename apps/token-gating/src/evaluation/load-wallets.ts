import { toWalletsFailure } from '../holders/wallets-failure.js';
import type { IdentityClient } from '../identity/identity-client.js';
import type { EvaluatedMember } from './evaluate-members.js';

type AsksIdentity = Pick<IdentityClient, 'walletsOf'>;

/**
 * Members with what counts as theirs.
 * @param userIds 1,000 at most
 * @throws AppError 503 `identity_unavailable`
 */
export async function fetchWallets(
  userIds: readonly string[],
  identity: AsksIdentity,
): Promise<EvaluatedMember[]> {
  if (userIds.length === 0) return [];
  const { users } = await identity.walletsOf(userIds);
  const byUser = new Map(users.map(({ userId, wallets }) => [userId, wallets]));
  return userIds.map((userId) => ({ userId, wallets: byUser.get(userId) ?? [] }));
}

/** The same for one who waits for an answer: while identity cannot be asked no wallets are known, which is not the same as none. */
export async function loadWallets(userId: string, identity: AsksIdentity): Promise<EvaluatedMember[]> {
  const found = await fetchWallets([userId], identity).catch(toWalletsFailure);
  return 'code' in found ? [{ userId, wallets: found }] : found;
}
