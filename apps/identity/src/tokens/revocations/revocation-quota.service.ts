import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** In an hour, by somebody who asks for it. What we end ourselves, a replayed code's tokens for one, is not counted. */
const MAX_PER_CLIENT_AND_HOUR = 20_000;
const MAX_PER_USER_AND_HOUR = 1_000;
const MAX_DISCONNECTIONS_PER_HOUR = 1_000;
/** More than one comes in with each. */
const SWEEP_BATCH_SIZE = 10;

/** One statement: of many at once none gets more than there is. */
const TAKE = `
  WITH swept AS (
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
 * How much one client application or user can add to what every gateway keeps in memory. Over it nothing is revoked, and
 * whoever asked is told so.
 */
@Injectable()
export class RevocationQuotaService {
  constructor(private readonly database: Database) {}

  /** @returns undefined when there is room for one more; otherwise after how many seconds there is */
  takeForClient(clientId: string): Promise<number | undefined> {
    return this.take(`client ${clientId}`, MAX_PER_CLIENT_AND_HOUR);
  }

  /**
   * Of a user's tokens and credentials at one client application, which can use it up, but not what the user has elsewhere.
   * @returns undefined when there is room for one more; otherwise after how many seconds there is
   */
  takeForUser(userId: string, clientId: string): Promise<number | undefined> {
    return this.take(`user ${userId} at ${clientId}`, MAX_PER_USER_AND_HOUR);
  }

  /**
   * Of what only the user's own session begins: no client application can use it up.
   * @returns undefined when there is room for one more; otherwise after how many seconds there is
   */
  takeForDisconnection(userId: string): Promise<number | undefined> {
    return this.take(`disconnect ${userId}`, MAX_DISCONNECTIONS_PER_HOUR);
  }

  private async take(subject: string, most: number): Promise<number | undefined> {
    const [{ isGranted, restSeconds }] = taken.parse(await this.database.query(TAKE, [subject, most]));
    return isGranted ? undefined : Math.max(restSeconds, 1);
  }
}
