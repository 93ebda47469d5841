import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Members whom a manager removed, and the invitation that they may know. */
export class RemovedMembers1795132800140 implements MigrationInterface {
  readonly name = 'RemovedMembers1795132800140';

  async up(runner: QueryRunner): Promise<void> {
    // Without a foreign key, like members: the rows of a deleted community are purged in batches.
    await runner.query(`
      CREATE TABLE token_gating.removed_members (
        community_id text NOT NULL,
        user_id text NOT NULL,
        invitation_revision integer NOT NULL,
        CONSTRAINT removed_members_pkey PRIMARY KEY (community_id, user_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.removed_members');
  }
}
