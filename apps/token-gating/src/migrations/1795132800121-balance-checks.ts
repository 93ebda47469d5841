import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Re-checks of all members of a community: where each of them stands. */
export class BalanceChecks1795132800121 implements MigrationInterface {
  readonly name = 'BalanceChecks1795132800121';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.balance_checks (
        id uuid NOT NULL,
        community_id text NOT NULL,
        reason text NOT NULL,
        state text NOT NULL DEFAULT 'running',
        rules_revision integer NOT NULL,
        -- members when it began, those looked at so far, role changes, and members that could not be told
        total integer NOT NULL,
        done integer NOT NULL DEFAULT 0,
        changed integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        -- the last member looked at
        after_joined_at timestamptz,
        after_user_id text,
        turn integer NOT NULL DEFAULT 0,
        -- how often nodes did not answer lately: one more for each try, one less for each page that they answered for
        retries integer NOT NULL DEFAULT 0,
        -- whether members count as failed because they never did
        has_given_up boolean NOT NULL DEFAULT false,
        next_run_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- when it began with these rules: who joined later is looked at then
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz,
        CONSTRAINT balance_checks_pkey PRIMARY KEY (id),
        CONSTRAINT balance_checks_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE,
        CONSTRAINT balance_checks_reason_check CHECK (reason IN ('scheduled', 'requested')),
        CONSTRAINT balance_checks_state_check CHECK (state IN ('running', 'done'))
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX balance_checks_running_key
        ON token_gating.balance_checks (community_id) WHERE state = 'running'`);
    await runner.query(`
      CREATE INDEX balance_checks_community_idx
        ON token_gating.balance_checks (community_id, created_at, id)`);
    await runner.query(`
      CREATE INDEX balance_checks_due_idx ON token_gating.balance_checks (next_run_at) WHERE state = 'running'`);
    await runner.query(`
      CREATE INDEX balance_checks_finished_idx
        ON token_gating.balance_checks (finished_at) WHERE state = 'done'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.balance_checks');
  }
}
