import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Publishable ids of client applications (docs/adr/0121-publishable-ids.md). */
export class PublishableIds1795132820500 implements MigrationInterface {
  readonly name = 'PublishableIds1795132820500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS identity.publishable_ids (
        id text NOT NULL,
        client_id text NOT NULL,
        -- The whole text, because it is no secret: it stands in pages.
        publishable_id text NOT NULL,
        name text,
        origins text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz,
        CONSTRAINT publishable_ids_pkey PRIMARY KEY (id),
        CONSTRAINT publishable_ids_publishable_id_key UNIQUE (publishable_id),
        CONSTRAINT publishable_ids_client_id_fkey FOREIGN KEY (client_id) REFERENCES identity.client_applications (id)
      );
      CREATE INDEX IF NOT EXISTS publishable_ids_client_id_idx ON identity.publishable_ids (client_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.publishable_ids');
  }
}
