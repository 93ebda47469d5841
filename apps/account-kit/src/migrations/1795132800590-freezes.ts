import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators have frozen: nothing of it is signed or sent. */
export class Freezes1795132800590 implements MigrationInterface {
  readonly name = 'Freezes1795132800590';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.freezes (
        scope text NOT NULL,
        subject text NOT NULL,
        reason text NOT NULL,
        frozen_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT freezes_pkey PRIMARY KEY (scope, subject),
        CONSTRAINT freezes_scope_check CHECK (scope IN ('account', 'application', 'chain', 'paymaster', 'everything'))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.freezes');
  }
}
