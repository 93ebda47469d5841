import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which client application wants the nonce of an operation that is not tried any more, because one of its own was refused (docs/adr/0084). */
export class WantedNonces1795132800700 implements MigrationInterface {
  readonly name = 'WantedNonces1795132800700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.user_operations ADD COLUMN wanted_by text, ADD COLUMN wanted_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE account_kit.user_operations DROP COLUMN wanted_by, DROP COLUMN wanted_at',
    );
  }
}
