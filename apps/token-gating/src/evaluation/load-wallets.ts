import { toWalletsFailure } from '../holders/wallets-failure.js';
import type { IdentityClient } from '../identity/identity-client.js';
import type { EvaluatedMember } from './evaluate-members.js';

/**
 * Members with what counts as theirs. While identity cannot be asked nobody's wallets are known, which is not the same as
 * having none.
 * @param userIds 1,000 at most
 */
export async function loadWallets(
  userIds: readonly string[],
  identity: Pick<IdentityClient, 'walletsOf'>,
): Promise<EvaluatedMember[]> {
  if (userIds.length === 0) return [];
  const answer = await identity.walletsOf(userIds).catch(toWalletsFailure);
  if ('code' in answer) return userIds.map((userId) => ({ userId, wallets: answer }));
  const byUser = new Map(answer.users.map(({ userId, wallets }) => [userId, wallets]));
  return userIds.map((userId) => ({ userId, wallets: byUser.get(userId) ?? [] }));
}
