import { userIdOf } from '@app/auth';
import { account } from '@app/dto';
import type { IdentityClient } from '../../identity/identity-client.js';
import { userNotFound } from '../access/community.errors.js';
import type { SignedInUser } from '../access/signed-in-user.js';
import type { NewMember } from './memberships.js';

/**
 * Who a signed-in user is on their platform. A wallet that only ever signed credentials may be unknown to identity: who
 * it is follows from its address.
 */
export async function loadUser(identity: IdentityClient, user: SignedInUser): Promise<NewMember> {
  const { users } = await identity.users([user.id]);
  const known = users.find(({ id }) => id === user.id);
  if (known) return { userId: user.id, platform: known.platform, platformUserId: known.platformUserId };
  const named = namedBy(user.account).find(
    ({ platform, platformUserId }) => userIdOf(platform, platformUserId) === user.id,
  );
  if (!named) throw userNotFound();
  return { userId: user.id, ...named };
}

/** Whom a CAIP-10 id may mean: whether an Ethereum account is a contract it does not say. */
function namedBy(accountId = ''): Omit<NewMember, 'userId'>[] {
  const { data } = account.safeParse(accountId);
  switch (data?.family) {
    case 'evm': {
      const [, chainId = ''] = accountId.split(':');
      return [data.address, `eip155:${chainId}:${data.address}`].map((platformUserId) => ({
        platform: 'ethereum',
        platformUserId,
      }));
    }
    case 'solana':
      return [{ platform: 'solana', platformUserId: data.address }];
    default:
      return [];
  }
}
