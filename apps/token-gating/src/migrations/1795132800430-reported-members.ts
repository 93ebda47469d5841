import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which client applications reported a member, and so know the id on the member's platform. */
export class ReportedMembers1795132800430 implements MigrationInterface {
  readonly name = 'ReportedMembers1795132800430';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.reported_members (
        community_id text NOT NULL,
        user_id text NOT NULL,
        client_id text NOT NULL,
        CONSTRAINT reported_members_pkey PRIMARY KEY (community_id, user_id, client_id),
        CONSTRAINT reported_members_member_fkey FOREIGN KEY (community_id, user_id)
          REFERENCES token_gating.community_members (community_id, user_id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.reported_members');
  }
}
