import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The record of one target is read from its newest end. */
export class AuditOfOneTarget1795132800090 implements MigrationInterface {
  readonly name = 'AuditOfOneTarget1795132800090';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX audit_records_target_id_idx ON identity.audit_records (target, id)');
    await runner.query('DROP INDEX identity.audit_records_target_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX audit_records_target_idx ON identity.audit_records (target)');
    await runner.query('DROP INDEX identity.audit_records_target_id_idx');
  }
}
