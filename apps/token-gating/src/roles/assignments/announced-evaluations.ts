import { formatErrorReason, HOUR_MS } from '@app/common';
import { Database, type Queryable, queryRows } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';

/** An evaluation that may change roles. */
interface Announcement {
  readonly announcementId: string;
  /** Database time before anything about the members' wallets is read: `clock_timestamp()::text`. */
  readonly startedAt: string;
}

const announcements = z.tuple([z.object({ announcementId: z.uuid(), startedAt: z.string() })]);

async function insertAnnouncement(
  db: Queryable,
  communityId: string,
  userIds: readonly string[],
): Promise<Announcement> {
  const sql = `
    INSERT INTO token_gating.announced_evaluations (community_id, user_ids) VALUES ($1, $2)
    RETURNING id AS "announcementId", started_at::text AS "startedAt"`;
  return announcements.parse(await queryRows(db, sql, [communityId, userIds]))[0];
}

/** @returns false where the announcement has expired, so that reads no longer expect the evaluation to store anything */
export async function deleteAnnouncement(db: Queryable, id: string): Promise<boolean> {
  const sql = 'DELETE FROM token_gating.announced_evaluations WHERE id = $1 RETURNING id';
  return (await queryRows(db, sql, [id])).length > 0;
}

/**
 * The announced evaluations of these communities, for a statement about many members. It is read once, because it reads the dead rows, too,
 * that stay while any transaction is open: with 10,000 of them a hundred members took 104 ms one by one, and take 2 ms so.
 */
export const withAnnounced = (communityIds: string, select: string): string => `
  SELECT * FROM (
    WITH announced AS MATERIALIZED (
      SELECT e.community_id, e.user_ids, e.started_at FROM token_gating.announced_evaluations e
      WHERE e.community_id = ANY (${communityIds}))
    ${select}
  ) AS states`;

/** Whether one of `withAnnounced` may still change the roles of a member, a row of community_members under this name. */
export const isAnnounced = (member: string): string => `EXISTS (
  SELECT FROM announced e
  WHERE e.community_id = ${member}.community_id AND ${member}.user_id = ANY (e.user_ids)
    AND coalesce(e.started_at >= ${member}.evaluated_at, true))`;

/**
 * Announces evaluations that may change roles, before they read anything (docs/adr/0105). A read of roles that finds nothing to store and
 * no announcement stores nothing: what it has answered can be changed only by an evaluation that began later.
 */
@Injectable()
export class AnnouncedEvaluationsService {
  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
  ) {}

  /** @param work stores the evaluation, which ends the announcement. Where it fails, the announcement is withdrawn. */
  async run<T>(
    communityId: string,
    userIds: readonly string[],
    work: (announcement: Announcement) => Promise<T>,
  ): Promise<T> {
    const announcement = await insertAnnouncement(this.database, communityId, userIds);
    try {
      return await work(announcement);
    } catch (error) {
      await this.withdraw(announcement);
      throw error;
    }
  }

  private async withdraw({ announcementId }: Announcement): Promise<void> {
    try {
      await deleteAnnouncement(this.database, announcementId);
    } catch (error) {
      this.context.logger.warn(
        { reason: formatErrorReason(error) },
        'announced evaluation left to the sweeper',
      );
    }
  }
}

/**
 * An evaluation takes seconds, and in a busy background lane minutes. One that is stored later, because its process was frozen, finds no
 * announcement and stores nothing.
 */
const MAX_EVALUATION_MS = HOUR_MS;

const DELETE_EXPIRED = `
  DELETE FROM token_gating.announced_evaluations WHERE id IN (
    SELECT id FROM token_gating.announced_evaluations
    WHERE started_at < clock_timestamp() - $1 * interval '1 ms'
    ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

/** Deletes announcements of evaluations that ended without a word, because their process was killed. */
@Injectable()
export class AnnouncedEvaluationsSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> => {
      const deleted = await queryRows(database, DELETE_EXPIRED, [MAX_EVALUATION_MS, MAX_SWEEP_ROWS]);
      return deleted.length === MAX_SWEEP_ROWS;
    };
    super(context, [{ name: 'delete expired announcements', sweep }], config.SWEEP_INTERVAL_MS);
  }
}
