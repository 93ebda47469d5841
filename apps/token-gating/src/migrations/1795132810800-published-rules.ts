import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rules that browsers may have checked by name (docs/adr/0121-publishable-ids.md). */
export class PublishedRules1795132810800 implements MigrationInterface {
  readonly name = 'PublishedRules1795132810800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS token_gating.published_rules (
        client_id text NOT NULL,
        -- All rules of the application, as it wrote them: a list of objects with name and rule.
        rules jsonb NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT published_rules_pkey PRIMARY KEY (client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.published_rules');
  }
}
