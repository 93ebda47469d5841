import type { Database } from '@app/database';
import { z } from 'zod';

/** Those of the users that are members, the rules, and the time before anything about their wallets is known. */
const LOAD = `
  SELECT c.rules, c.rules_revision AS "rulesRevision", clock_timestamp()::text AS "startedAt",
    array(SELECT m.user_id FROM token_gating.community_members m
      WHERE m.community_id = c.id AND m.user_id = ANY($2::text[])) AS "userIds"
  FROM token_gating.communities c WHERE c.id = $1`;

const loaded = z
  .array(
    z.object({
      rules: z.array(z.unknown()),
      rulesRevision: z.int(),
      startedAt: z.string(),
      userIds: z.array(z.string()),
    }),
  )
  .max(1);
export type MembersToCheck = z.infer<typeof loaded>[number];

/** Undefined when the community is gone. */
export async function loadMembersToCheck(
  database: Database,
  communityId: string,
  userIds: readonly string[],
): Promise<MembersToCheck | undefined> {
  return loaded.parse(await database.query(LOAD, [communityId, userIds]))[0];
}
