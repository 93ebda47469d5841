import { z } from 'zod';

/**
 * Locks those of the users ($2) that are members of the community ($1), in one order, whoever else stores. Of those whose
 * roles could be told ($3) it claims the ones of whom nothing later is stored: they stand as of $4 from now on. Who was told
 * nothing about keeps their time, because whoever knows more, and began earlier, must still be able to store it.
 */
export const CLAIM_MEMBERS = `
  WITH present AS (
    SELECT user_id, user_id = ANY($3::text[]) AS is_told,
      evaluated_at IS NULL OR evaluated_at <= $4::timestamptz AS is_newest
    FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = ANY($2::text[])
    ORDER BY user_id FOR UPDATE
  ), claimed AS (
    UPDATE token_gating.community_members AS m SET evaluated_at = $4::timestamptz
    FROM present p WHERE m.community_id = $1 AND m.user_id = p.user_id AND p.is_told AND p.is_newest
  )
  SELECT user_id AS "userId", is_told AND NOT is_newest AS "isOvertaken" FROM present`;

/** A user who is still a member, and whether something later is stored of them. */
export const presentMember = z.object({ userId: z.string(), isOvertaken: z.boolean() });
