import { Database } from '@app/database';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS } from '../../../database/sweep.config.js';
import { BalanceCheckConfig } from '../balance-check.config.js';

const DELETE_OLD = `
  DELETE FROM token_gating.balance_checks WHERE id IN (
    SELECT id FROM token_gating.balance_checks
    WHERE state = 'done' AND finished_at <= now() - $1 * interval '1 ms'
    ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

/** Deletes checks that could be looked up for as long as was promised. */
@Injectable()
export class DeleteOldBalanceChecksStep implements SweepTask {
  readonly name = 'delete old balance checks';

  constructor(
    private readonly database: Database,
    private readonly config: BalanceCheckConfig,
  ) {}

  async sweep(): Promise<boolean> {
    const { BALANCE_CHECK_RETENTION_MS } = this.config;
    const deleted = await this.database.query(DELETE_OLD, [BALANCE_CHECK_RETENTION_MS, MAX_SWEEP_ROWS]);
    return deleted.length === MAX_SWEEP_ROWS;
  }
}
