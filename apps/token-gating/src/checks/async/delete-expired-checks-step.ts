import { Database } from '@app/database';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS } from '../../database/sweep.config.js';

/** Expired checks with a pending delivery are kept for 7 more days at most, because their receiver may hang. */
const DELETE_EXPIRED = `
  DELETE FROM token_gating.checks WHERE id IN (
    SELECT id FROM token_gating.checks AS c
    WHERE expires_at <= now() AND (
      expires_at <= now() - interval '7 days'
      OR NOT EXISTS (SELECT FROM token_gating.deliveries AS d WHERE d.check_id = c.id AND d.state = 'pending')
    )
    LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

/** Deletes expired checks with their deliveries. */
@Injectable()
export class DeleteExpiredChecksStep implements SweepTask {
  readonly name = 'delete expired checks';

  constructor(private readonly database: Database) {}

  async sweep(): Promise<boolean> {
    const deleted = await this.database.query(DELETE_EXPIRED, [MAX_SWEEP_ROWS]);
    return deleted.length === MAX_SWEEP_ROWS;
  }
}
