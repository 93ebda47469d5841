import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Offers to take over a community (docs/adr/0116). */
export class OwnershipOffers1795132810100 implements MigrationInterface {
  readonly name = 'OwnershipOffers1795132810100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One offer a community. It counts while its community is what it was: see OPEN in ownership-offers.queries.ts.
      CREATE TABLE IF NOT EXISTS token_gating.ownership_offers (
        community_id text NOT NULL,
        from_user_id text NOT NULL,
        to_user_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT ownership_offers_pkey PRIMARY KEY (community_id),
        CONSTRAINT ownership_offers_community_fkey
          FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
      );
      CREATE INDEX IF NOT EXISTS ownership_offers_from_idx ON token_gating.ownership_offers (from_user_id);
      CREATE INDEX IF NOT EXISTS ownership_offers_to_idx ON token_gating.ownership_offers (to_user_id);
      CREATE INDEX IF NOT EXISTS ownership_offers_expires_idx ON token_gating.ownership_offers (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.ownership_offers');
  }
}
