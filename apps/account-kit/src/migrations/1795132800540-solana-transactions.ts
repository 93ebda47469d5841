import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = "'accepted', 'signed', 'submitted', 'included', 'final', 'reverted', 'rejected', 'expired'";

/**
 * Solana transactions of accounts. The message never changes; the signatures are complete from `signed` on. A state is stored before
 * it is acted on (contract.md section 10).
 */
export class SolanaTransactions1795132800540 implements MigrationInterface {
  readonly name = 'SolanaTransactions1795132800540';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.solana_transactions (
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        client_id text NOT NULL,
        network text NOT NULL,
        message bytea NOT NULL,
        message_hash bytea NOT NULL,
        signatures bytea NOT NULL,
        signature text,
        blockhash text NOT NULL,
        accepted_block_height bigint NOT NULL,
        state text NOT NULL,
        state_seq int NOT NULL DEFAULT 1,
        slot bigint,
        err jsonb,
        reason text,
        response jsonb,
        accepted_at timestamptz NOT NULL DEFAULT now(),
        changed_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz,
        CONSTRAINT solana_transactions_pkey PRIMARY KEY (id),
        CONSTRAINT solana_transactions_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
        CONSTRAINT solana_transactions_network_signature_key UNIQUE (network, signature),
        CONSTRAINT solana_transactions_network_check CHECK (network IN ('SOL', 'SOL_DEVNET')),
        CONSTRAINT solana_transactions_state_check CHECK (state IN (${STATES})),
        CONSTRAINT solana_transactions_message_check CHECK (length(message) + length(signatures) < 1232),
        CONSTRAINT solana_transactions_signed_check CHECK (
          state IN ('accepted', 'rejected') OR signature IS NOT NULL)
      )`);
    // A transaction that was rejected before it was signed may be submitted again.
    await runner.query(`
      CREATE UNIQUE INDEX solana_transactions_message_key ON account_kit.solana_transactions (network, message_hash)
        WHERE state <> 'rejected'`);
    await runner.query(`
      CREATE INDEX solana_transactions_account_id_accepted_at_idx ON account_kit.solana_transactions
        (account_id, accepted_at, id)`);
    await runner.query(`
      CREATE INDEX solana_transactions_unfinished_idx ON account_kit.solana_transactions (client_id, next_attempt_at)
        WHERE state IN ('accepted', 'signed', 'submitted', 'included')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.solana_transactions');
  }
}
