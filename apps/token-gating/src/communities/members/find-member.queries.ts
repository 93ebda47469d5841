import { conflict } from '@app/common';
import { z } from 'zod';

/**
 * Whom $2 means by an id on their platform. What identity keeps of `ethereum` is in lower case, and an address is the same in
 * any (ERC-55); ids of all other platforms mean another user in another case.
 */
export const PLATFORM_USER_ID_MATCHES =
  "platform_user_id IN ($2, lower($2)) AND (platform_user_id = $2 OR platform = 'ethereum')";

/** $1 is the community, $2 a user id or, where it is nobody's, an id on the user's platform. */
export const FIND_MEMBER = `
  WITH named AS (
    SELECT user_id FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2
  )
  SELECT user_id AS "userId" FROM named
  UNION ALL
  (SELECT user_id FROM token_gating.community_members
   WHERE community_id = $1 AND ${PLATFORM_USER_ID_MATCHES} AND NOT EXISTS (SELECT FROM named) LIMIT 2)`;

const rows = z.array(z.object({ userId: z.string() }));

/**
 * The one member that an id means. @param found rows of FIND_MEMBER
 * @throws AppError 409 when it means two: platforms number their users as they like
 */
export function parseUniqueMember(found: unknown[]): string | undefined {
  const [member, other] = rows.parse(found);
  if (other) throw ambiguousUser();
  return member?.userId;
}

/** What operations that name a member by either id have to say of it. */
export const AMBIGUOUS_USER_CONFLICT = { user_id_conflict: 'members of two platforms go by this id' };

const ambiguousUser = () =>
  conflict('user_id_conflict', 'Members of two platforms have this id: name the user id.');
