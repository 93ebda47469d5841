import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles follow transfers (docs/adr/0113). */
export class TransferWatcher1795132809200 implements MigrationInterface {
  readonly name = 'TransferWatcher1795132809200';
  /** The index of communities is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The revision of the rules whose contracts stand in community_contracts.
      ALTER TABLE token_gating.communities ADD COLUMN IF NOT EXISTS contracts_revision integer NOT NULL DEFAULT 0`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.community_contracts_outdated_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY community_contracts_outdated_idx ON token_gating.communities (id)
        WHERE contracts_revision <> rules_revision AND (contracts_revision > 0 OR rules <> '[]')`);
    await runner.query(`
      -- Contracts of rules whose transfers name the accounts that gain or lose a role. Addresses are in lower case.
      CREATE TABLE IF NOT EXISTS token_gating.community_contracts (
        community_id text NOT NULL,
        chain_id bigint NOT NULL,
        address text NOT NULL,
        CONSTRAINT community_contracts_pkey PRIMARY KEY (community_id, chain_id, address),
        CONSTRAINT community_contracts_community_fkey
          FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS community_contracts_address_idx
        ON token_gating.community_contracts (chain_id, address, community_id)`);
    await runner.query(`
      -- Keyed hashes of the accounts with which members of communities with such rules were checked last.
      CREATE TABLE IF NOT EXISTS token_gating.member_accounts (
        community_id text NOT NULL,
        user_id text NOT NULL,
        account_hash bytea NOT NULL,
        -- When the evaluation began that read it first: one that began earlier does not take it away.
        added_at timestamptz NOT NULL,
        CONSTRAINT member_accounts_pkey PRIMARY KEY (community_id, user_id, account_hash),
        CONSTRAINT member_accounts_member_fkey FOREIGN KEY (community_id, user_id)
          REFERENCES token_gating.community_members (community_id, user_id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS member_accounts_hash_idx
        ON token_gating.member_accounts (account_hash, community_id, user_id)`);
    await runner.query(`
      -- The instance that follows the logs of a chain, and how far it has come.
      CREATE TABLE IF NOT EXISTS token_gating.transfer_watchers (
        chain_id bigint NOT NULL,
        holder text NOT NULL,
        leased_until timestamptz NOT NULL,
        -- The last block whose logs are not read again; null before the first one.
        position bigint,
        -- Names the key of member_accounts. With another key nobody is found.
        key_id bytea,
        CONSTRAINT transfer_watchers_pkey PRIMARY KEY (chain_id)
      )`);
    await runner.query(`
      -- Contracts whose logs are not followed for a while.
      CREATE TABLE IF NOT EXISTS token_gating.polled_contracts (
        chain_id bigint NOT NULL,
        address text NOT NULL,
        reason text NOT NULL,
        since timestamptz NOT NULL DEFAULT now(),
        polled_until timestamptz NOT NULL,
        CONSTRAINT polled_contracts_pkey PRIMARY KEY (chain_id, address),
        CONSTRAINT polled_contracts_reason_check
          CHECK (reason IN ('too_many_contracts', 'too_many_logs', 'logs_refused'))
      )`);
    await runner.query(`
      -- Members whom a log named: checked soon, and again when the block of the log is at the confirmation depth. No foreign
      -- key: the watcher, which all tenants share, would wait for whoever stores roles of these members.
      CREATE TABLE IF NOT EXISTS token_gating.transfer_checks (
        id bigint GENERATED ALWAYS AS IDENTITY,
        chain_id bigint NOT NULL,
        community_id text NOT NULL,
        user_id text NOT NULL,
        -- The owner of the community when the log came: tenants take turns.
        tenant_id text NOT NULL,
        is_pending boolean NOT NULL DEFAULT true,
        -- The block of the newest log whose second check is to come; null without one.
        block bigint,
        due_at timestamptz NOT NULL,
        -- The member check that is to run or runs; the next one is enqueued when it has ended.
        job_id uuid,
        CONSTRAINT transfer_checks_pkey PRIMARY KEY (id),
        CONSTRAINT transfer_checks_member_key UNIQUE (community_id, user_id, chain_id)
      )
      -- Rows live for minutes.
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS transfer_checks_due_idx ON token_gating.transfer_checks (tenant_id, due_at)
        WHERE is_pending AND job_id IS NULL`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS transfer_checks_job_idx ON token_gating.transfer_checks (due_at)
        WHERE job_id IS NOT NULL`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS transfer_checks_block_idx ON token_gating.transfer_checks (chain_id, block)
        WHERE NOT is_pending AND block IS NOT NULL`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS transfer_checks_done_idx ON token_gating.transfer_checks (due_at)
        WHERE NOT is_pending AND job_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE IF EXISTS token_gating.transfer_checks, token_gating.polled_contracts, token_gating.transfer_watchers,
        token_gating.member_accounts, token_gating.community_contracts`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.community_contracts_outdated_idx');
    await runner.query('ALTER TABLE token_gating.communities DROP COLUMN IF EXISTS contracts_revision');
  }
}
