import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** Counts requested revocations only; automatic ones, such as after a replayed code, are not limited. */
const MAX_PER_CLIENT_AND_HOUR = 20_000;
const MAX_PER_USER_AND_HOUR = 1_000;
const MAX_DISCONNECTIONS_PER_HOUR = 1_000;
/** Above 1, so that deletion outpaces insertion. */
const SWEEP_BATCH_SIZE = 10;

/** One statement, so that concurrent requests cannot exceed the quota. */
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

/**
 * Limits revocations per hour, because every gateway keeps live ones in memory. A revocation over the quota must be refused
 * with an error.
 */
@Injectable()
export class RevocationQuotaService {
  constructor(private readonly database: Database) {}

  /** @returns undefined when granted, otherwise the seconds until the quota renews */
  takeForClient(clientId: string): Promise<number | undefined> {
    return this.take(`client ${clientId}`, MAX_PER_CLIENT_AND_HOUR);
  }

  /**
   * A quota per user and client application, so that one application cannot use up the user's quota at another.
   * @returns undefined when granted, otherwise the seconds until the quota renews
   */
  takeForUser(userId: string, clientId: string): Promise<number | undefined> {
    return this.take(`user ${userId} at ${clientId}`, MAX_PER_USER_AND_HOUR);
  }

  /**
   * A quota of the user's browser session, which no client application can use up.
   * @returns undefined when granted, otherwise the seconds until the quota renews
   */
  takeForDisconnection(userId: string): Promise<number | undefined> {
    return this.take(`disconnect ${userId}`, MAX_DISCONNECTIONS_PER_HOUR);
  }

  private async take(subject: string, limit: number): Promise<number | undefined> {
    const [{ isGranted, restSeconds }] = taken.parse(await this.database.query(TAKE, [subject, limit]));
    return isGranted ? undefined : Math.max(restSeconds, 1);
  }
}
