import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Transactions that own executors send. A raw transaction is stored before it is sent (contract.md section 10). */
export class ExecutorTransactions1795132800520 implements MigrationInterface {
  readonly name = 'ExecutorTransactions1795132800520';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.chain_leases (
        chain_id bigint NOT NULL,
        name text NOT NULL,
        holder uuid NOT NULL,
        leased_until timestamptz NOT NULL,
        CONSTRAINT chain_leases_pkey PRIMARY KEY (chain_id, name)
      )`);
    await runner.query(`
      CREATE TABLE account_kit.executor_transactions (
        id uuid NOT NULL,
        chain_id bigint NOT NULL,
        executor text NOT NULL,
        nonce bigint NOT NULL,
        entry_point text NOT NULL,
        data bytea NOT NULL,
        gas numeric(39) NOT NULL,
        state text NOT NULL,
        first_block bigint NOT NULL,
        transaction_hash text,
        block_number bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT executor_transactions_pkey PRIMARY KEY (id),
        CONSTRAINT executor_transactions_chain_id_executor_nonce_key UNIQUE (chain_id, executor, nonce),
        CONSTRAINT executor_transactions_state_check
          CHECK (state IN ('pending', 'mined', 'final', 'replaced'))
      )`);
    await runner.query(`
      CREATE INDEX executor_transactions_unfinished_idx ON account_kit.executor_transactions (chain_id, executor, nonce)
        WHERE state IN ('pending', 'mined')`);
    // The first variant and one for each fee bump.
    await runner.query(`
      CREATE TABLE account_kit.executor_transaction_variants (
        transaction_id uuid NOT NULL,
        number int NOT NULL,
        hash text NOT NULL,
        raw bytea NOT NULL,
        max_fee_per_gas numeric(39) NOT NULL,
        max_priority_fee_per_gas numeric(39) NOT NULL,
        block_number bigint NOT NULL,
        CONSTRAINT executor_transaction_variants_pkey PRIMARY KEY (transaction_id, number),
        CONSTRAINT executor_transaction_variants_transaction_id_fkey
          FOREIGN KEY (transaction_id) REFERENCES account_kit.executor_transactions (id)
      )`);
    await runner.query(`
      CREATE TABLE account_kit.executor_transaction_operations (
        operation_id uuid NOT NULL,
        transaction_id uuid NOT NULL,
        CONSTRAINT executor_transaction_operations_pkey PRIMARY KEY (operation_id, transaction_id),
        CONSTRAINT executor_transaction_operations_operation_id_fkey
          FOREIGN KEY (operation_id) REFERENCES account_kit.user_operations (id),
        CONSTRAINT executor_transaction_operations_transaction_id_fkey
          FOREIGN KEY (transaction_id) REFERENCES account_kit.executor_transactions (id)
      )`);
    await runner.query(`
      CREATE INDEX executor_transaction_operations_transaction_id_idx
        ON account_kit.executor_transaction_operations (transaction_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.executor_transaction_operations');
    await runner.query('DROP TABLE account_kit.executor_transaction_variants');
    await runner.query('DROP TABLE account_kit.executor_transactions');
    await runner.query('DROP TABLE account_kit.chain_leases');
  }
}
