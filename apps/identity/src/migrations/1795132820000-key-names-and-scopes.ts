import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys with names, scopes, planned ends and the hour of their last use (docs/adr/0120). */
export class KeyNamesAndScopes1795132820000 implements MigrationInterface {
  readonly name = 'KeyNamesAndScopes1795132820000';
  /** The table has rows. The statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.api_keys
        ADD COLUMN IF NOT EXISTS name text,
        -- Null for a key with every scope that its application has.
        ADD COLUMN IF NOT EXISTS scopes text[],
        -- From the creation to the planned end; null for a key without one, which may have an end nevertheless: after a rotation.
        ADD COLUMN IF NOT EXISTS lifetime_seconds integer,
        -- The beginning of the hour in which a gateway saw the key last.
        ADD COLUMN IF NOT EXISTS last_used_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.api_keys DROP COLUMN IF EXISTS name, DROP COLUMN IF EXISTS scopes,
        DROP COLUMN IF EXISTS lifetime_seconds, DROP COLUMN IF EXISTS last_used_at`);
  }
}
