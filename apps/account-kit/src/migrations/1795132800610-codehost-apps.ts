import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The OAuth application of a client application at the code host, whose tokens sign. Its secret is sealed like stored keys. */
export class CodehostApps1795132800610 implements MigrationInterface {
  readonly name = 'CodehostApps1795132800610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.codehost_apps (
        client_id text NOT NULL,
        oauth_client_id text NOT NULL,
        version uuid NOT NULL DEFAULT gen_random_uuid(),
        wrapping_key_id text NOT NULL,
        data_key bytea,
        sealed_secret bytea NOT NULL,
        set_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT codehost_apps_pkey PRIMARY KEY (client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.codehost_apps');
  }
}
