import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many tokens somebody had revoked within the hour. */
export class RevocationQuotas1795132800060 implements MigrationInterface {
  readonly name = 'RevocationQuotas1795132800060';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.revocation_quotas (
        subject text NOT NULL,
        used int NOT NULL,
        ends_at timestamptz NOT NULL,
        CONSTRAINT revocation_quotas_pkey PRIMARY KEY (subject)
      )`);
    await runner.query('CREATE INDEX revocation_quotas_ends_at_idx ON identity.revocation_quotas (ends_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.revocation_quotas');
  }
}
