import { unauthorized } from '@app/common';
import type { Principal } from './principal.js';

export type SignedInUser = NonNullable<Extract<Principal, { kind: 'caller' }>['user']>;

/** Who is signed in. The gateway has seen to it that somebody is. @throws AppError 401 should it not have */
export function signedInUser(principal: Principal): SignedInUser {
  if (principal.kind !== 'caller' || !principal.user)
    throw unauthorized('user_needed', 'This operation is for a signed-in user.');
  return principal.user;
}
