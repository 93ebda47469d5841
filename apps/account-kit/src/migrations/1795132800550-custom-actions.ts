import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Custom actions that operators listed for client applications, with their sources (docs/adr/0056). */
export class CustomActions1795132800550 implements MigrationInterface {
  readonly name = 'CustomActions1795132800550';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.custom_actions (
        client_id text NOT NULL,
        cid text NOT NULL,
        source bytea NOT NULL,
        size int NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT custom_actions_pkey PRIMARY KEY (client_id, cid),
        CONSTRAINT custom_actions_size_check CHECK (size = octet_length(source) AND size <= 262144)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.custom_actions');
  }
}
