import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators look for what one person did. */
export class AuditRecordsByActor1795132820200 implements MigrationInterface {
  readonly name = 'AuditRecordsByActor1795132820200';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS identity.audit_records_actor_id_idx');
    await runner.query(
      'CREATE INDEX CONCURRENTLY audit_records_actor_id_idx ON identity.audit_records (actor_id, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS identity.audit_records_actor_id_idx');
  }
}
