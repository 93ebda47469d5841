import { Database } from '@app/database';
import type { SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS } from '../../../database/sweep.config.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import { deleteOldChecks } from '../balance-checks.queries.js';

/** Deletes finished checks after BALANCE_CHECK_RETENTION_MS. */
@Injectable()
export class DeleteOldBalanceChecksStep implements SweepTask {
  readonly name = 'delete old balance checks';

  constructor(
    private readonly database: Database,
    private readonly config: BalanceCheckConfig,
  ) {}

  async sweep(): Promise<boolean> {
    const { BALANCE_CHECK_RETENTION_MS } = this.config;
    const deleted = await deleteOldChecks(this.database, BALANCE_CHECK_RETENTION_MS, MAX_SWEEP_ROWS);
    return deleted === MAX_SWEEP_ROWS;
  }
}
