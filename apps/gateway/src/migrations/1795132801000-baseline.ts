import { forgetReplacedMigrations, hasReplacedMigrations } from '@app/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migrations that this one replaces (docs/adr/0102). */
const REPLACED = { count: 1, newest: 'MonthUsage1795132800001' };

const MONTH_USAGE = `
  CREATE TABLE gateway.month_usage (
    holder_id text NOT NULL,
    month text NOT NULL,
    used bigint NOT NULL,
    last_granted bigint NOT NULL,
    CONSTRAINT month_usage_pk PRIMARY KEY (holder_id, month),
    CONSTRAINT month_usage_not_negative CHECK (used >= 0 AND last_granted >= 0)
  );`;

/** The whole schema of gateway (docs/adr/0102). */
export class Baseline1795132801000 implements MigrationInterface {
  readonly name = 'Baseline1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    if (await hasReplacedMigrations(runner, 'gateway', REPLACED)) return;
    await runner.query(MONTH_USAGE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await forgetReplacedMigrations(runner, 'gateway', this.name);
    await runner.query('DROP TABLE gateway.month_usage');
  }
}
