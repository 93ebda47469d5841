import { conflict } from '@app/common';
import { z } from 'zod';

/** $1 is the community, $2 a user id or, where it is nobody's, an id on the user's platform. */
export const FIND_MEMBER = `
  WITH named AS (
    SELECT user_id FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2
  )
  SELECT user_id AS "userId" FROM named
  UNION ALL
  (SELECT user_id FROM token_gating.community_members
   WHERE community_id = $1 AND platform_user_id = $2 AND NOT EXISTS (SELECT FROM named) LIMIT 2)`;

const rows = z.array(z.object({ userId: z.string() }));

/**
 * The one member that an id means. @param found rows of FIND_MEMBER
 * @throws AppError 409 when it means two: platforms number their users as they like
 */
export function oneMember(found: unknown[]): string | undefined {
  const [member, other] = rows.parse(found);
  if (other) throw ambiguousUser();
  return member?.userId;
}

const ambiguousUser = () =>
  conflict('ambiguous_user', 'Members of two platforms have this id: name the user id.');
