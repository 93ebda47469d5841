import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Unfinished operations by lane: the number of operations that an account had before must not slow its next one down. */
export class UnfinishedLanes1795132800575 implements MigrationInterface {
  readonly name = 'UnfinishedLanes1795132800575';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX user_operations_unfinished_lane_idx ON account_kit.user_operations
        (account_id, chain_id, nonce_key, nonce_sequence)
        WHERE state IN ('accepted', 'signed', 'submitted', 'stuck')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kit.user_operations_unfinished_lane_idx');
  }
}
