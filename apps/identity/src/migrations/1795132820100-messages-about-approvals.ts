import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Owners and operators write to each other about an approval, and owners are told the decision. */
export class MessagesAboutApprovals1795132820100 implements MigrationInterface {
  readonly name = 'MessagesAboutApprovals1795132820100';
  /** The table has rows. The statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications
        -- Since when the application waits for an operator; null while it does not, and where an earlier release stored it.
        ADD COLUMN IF NOT EXISTS waiting_since timestamptz,
        ADD COLUMN IF NOT EXISTS owner_message text,
        ADD COLUMN IF NOT EXISTS owner_message_at timestamptz,
        ADD COLUMN IF NOT EXISTS operator_message text,
        ADD COLUMN IF NOT EXISTS operator_message_at timestamptz,
        -- The time of an operator's decision until the owner has dismissed the notice of it.
        ADD COLUMN IF NOT EXISTS decision_notice_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications DROP COLUMN IF EXISTS waiting_since,
        DROP COLUMN IF EXISTS owner_message, DROP COLUMN IF EXISTS owner_message_at,
        DROP COLUMN IF EXISTS operator_message, DROP COLUMN IF EXISTS operator_message_at,
        DROP COLUMN IF EXISTS decision_notice_at`);
  }
}
