import type { SignedInUser } from '@app/auth';
import type { IdentityClient } from '../../identity/identity-client.js';
import { userNotFound } from '../access/community.errors.js';
import type { NewMember } from './memberships.js';

/** Who a signed-in user is on their platform. @throws AppError 404 for a user that identity does not know */
export async function loadUser(identity: IdentityClient, { id: userId }: SignedInUser): Promise<NewMember> {
  const { users } = await identity.users([userId]);
  const known = users.find(({ id }) => id === userId);
  if (!known) throw userNotFound();
  return { userId, platform: known.platform, platformUserId: known.platformUserId };
}
