import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operations have used of the caps of policies, and what those under way may still use (docs/adr/0058). */
export class Caps1795132800580 implements MigrationInterface {
  readonly name = 'Caps1795132800580';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.cap_usage (
        client_id text NOT NULL,
        cap_key text NOT NULL,
        subject text NOT NULL,
        period_start timestamptz NOT NULL,
        used numeric NOT NULL,
        max numeric NOT NULL,
        CONSTRAINT cap_usage_pkey PRIMARY KEY (client_id, cap_key, subject, period_start),
        CONSTRAINT cap_usage_used_check CHECK (used >= 0)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE account_kit.cap_reservations (
        operation_id uuid NOT NULL,
        client_id text NOT NULL,
        cap_key text NOT NULL,
        subject text NOT NULL,
        period_start timestamptz NOT NULL,
        reserved numeric NOT NULL,
        if_reverted numeric NOT NULL,
        is_gas boolean NOT NULL,
        counted numeric NOT NULL,
        CONSTRAINT cap_reservations_pkey PRIMARY KEY (operation_id, cap_key)
      )`);
    for (const table of ['cap_usage', 'cap_reservations'])
      await runner.query(`CREATE INDEX ${table}_period_start_idx ON account_kit.${table} (period_start)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.cap_reservations');
    await runner.query('DROP TABLE account_kit.cap_usage');
  }
}
