import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MonthUsage1795132800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.month_usage (
        holder_id text NOT NULL,
        month text NOT NULL,
        used bigint NOT NULL,
        last_granted bigint NOT NULL,
        CONSTRAINT month_usage_pk PRIMARY KEY (holder_id, month),
        CONSTRAINT month_usage_not_negative CHECK (used >= 0 AND last_granted >= 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.month_usage');
  }
}
