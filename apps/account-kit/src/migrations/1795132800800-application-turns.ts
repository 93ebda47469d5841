import type { MigrationInterface, QueryRunner } from 'typeorm';

const UNFINISHED = `state IN ('accepted', 'signed', 'submitted', 'stuck')`;
const INDEXES = {
  user_operations_untried_turns_idx: `(chain_id, client_id, id) WHERE ${UNFINISHED} AND reason = 'lapsed'`,
  user_operations_tried_turns_idx: `(chain_id, client_id, id) WHERE ${UNFINISHED} AND reason IS DISTINCT FROM 'lapsed'`,
  user_operations_wanted_turns_idx: `(chain_id, wanted_by, id) WHERE ${UNFINISHED} AND wanted_by IS NOT NULL`,
};

/** The unfinished operations of each client application, so that applications take turns when their lanes are repaired (docs/adr/0084). */
export class ApplicationTurns1795132800800 implements MigrationInterface {
  readonly name = 'ApplicationTurns1795132800800';
  /** Indexes are created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS account_kit.${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON account_kit.user_operations ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES))
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS account_kit.${name}`);
  }
}
