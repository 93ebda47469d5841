import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names of users in ENS, as they were read last. A row is of no use after an hour. */
export class EnsNames1795132800870 implements MigrationInterface {
  readonly name = 'EnsNames1795132800870';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.ens_names (
        user_id text NOT NULL CONSTRAINT ens_names_pkey PRIMARY KEY,
        name text,
        checked_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX ens_names_checked_at_idx ON identity.ens_names (checked_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.ens_names');
  }
}
