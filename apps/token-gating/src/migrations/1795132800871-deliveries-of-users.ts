import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the role callbacks that name a user, for an erasure. */
export class DeliveriesOfUsers1795132800871 implements MigrationInterface {
  readonly name = 'DeliveriesOfUsers1795132800871';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_user_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_user_idx
        ON token_gating.deliveries ((payload ->> 'userId')) WHERE payload ->> 'userId' IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_user_idx');
  }
}
