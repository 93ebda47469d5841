import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What smart accounts may do for client applications (docs/adr/0055). */
export class Policies1795132800530 implements MigrationInterface {
  readonly name = 'Policies1795132800530';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.policies (
        client_id text NOT NULL,
        document jsonb NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT policies_pkey PRIMARY KEY (client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.policies');
  }
}
