import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

/** Rows that one statement deletes: more than one, so that deletion outpaces insertion. */
const SWEEP_BATCH_SIZE = 10;

/** A single statement, so that concurrent requests cannot exceed the quota. */
const TAKE = `
  WITH expired AS (
    DELETE FROM identity.revocation_quotas WHERE subject IN (
      SELECT subject FROM identity.revocation_quotas WHERE ends_at <= now() AND subject <> $1
      ORDER BY ends_at LIMIT ${SWEEP_BATCH_SIZE} FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO identity.revocation_quotas AS quota (subject, used, ends_at)
  VALUES ($1, 1, now() + interval '1 hour')
  ON CONFLICT (subject) DO UPDATE SET
    used = CASE WHEN quota.ends_at <= now() THEN 1 ELSE least(quota.used, $2) + 1 END,
    ends_at = CASE WHEN quota.ends_at <= now() THEN now() + interval '1 hour' ELSE quota.ends_at END
  RETURNING used <= $2 AS "isGranted", ceil(extract(epoch FROM ends_at - now()))::int AS "restSeconds"`;

const taken = z.tuple([z.object({ isGranted: z.boolean(), restSeconds: z.int() })]);

/** Counts one revocation of a subject. `restSeconds` is the time until its quota renews. */
export async function takeRevocation(db: Queryable, subject: string, limit: number) {
  return taken.parse(await queryRows(db, TAKE, [subject, limit]))[0];
}
