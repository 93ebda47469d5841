import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which platform tokens were given to a client application, as operators say. */
export class ApplicationPlatforms1795132800570 implements MigrationInterface {
  readonly name = 'ApplicationPlatforms1795132800570';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.application_platforms (
        client_id text NOT NULL,
        bot_ids text[] NOT NULL DEFAULT '{}',
        accepts_unbound_tokens boolean NOT NULL DEFAULT false,
        CONSTRAINT application_platforms_pkey PRIMARY KEY (client_id),
        CONSTRAINT application_platforms_bot_ids_check CHECK (cardinality(bot_ids) <= 100)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.application_platforms');
  }
}
