import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES =
  "'accepted', 'signed', 'submitted', 'included', 'final', 'reverted', 'rejected', 'expired', 'stuck'";

/** User operations of smart accounts (ERC-4337). A state is stored before it is acted on (contract.md section 10). */
export class UserOperations1795132800510 implements MigrationInterface {
  readonly name = 'UserOperations1795132800510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.user_operations (
        id uuid NOT NULL,
        account_id uuid NOT NULL,
        client_id text NOT NULL,
        kind text NOT NULL,
        chain_id bigint NOT NULL,
        account_version text NOT NULL,
        sender text NOT NULL,
        nonce_key numeric(58) NOT NULL,
        nonce_sequence bigint NOT NULL,
        deploys_account boolean NOT NULL,
        call_data bytea NOT NULL,
        call_gas_limit numeric(39) NOT NULL,
        verification_gas_limit numeric(39) NOT NULL,
        pre_verification_gas numeric(39) NOT NULL,
        max_fee_per_gas numeric(39) NOT NULL,
        max_priority_fee_per_gas numeric(39) NOT NULL,
        paymaster text,
        paymaster_verification_gas_limit numeric(39),
        paymaster_post_op_gas_limit numeric(39),
        paymaster_data bytea,
        valid_until timestamptz,
        state text NOT NULL,
        state_seq int NOT NULL,
        hash text,
        signature bytea,
        transaction_hash text,
        block_number bigint,
        block_hash text,
        success boolean,
        reason text,
        actual_gas_used numeric(39),
        actual_gas_cost numeric(78),
        receipt jsonb,
        details jsonb,
        accepted_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        next_attempt_at timestamptz,
        CONSTRAINT user_operations_pkey PRIMARY KEY (id),
        CONSTRAINT user_operations_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
        CONSTRAINT user_operations_chain_id_hash_key UNIQUE (chain_id, hash),
        CONSTRAINT user_operations_kind_check CHECK (kind IN ('call', 'mint', 'cancellation')),
        CONSTRAINT user_operations_state_check CHECK (state IN (${STATES})),
        CONSTRAINT user_operations_signature_check CHECK ((hash IS NULL) = (signature IS NULL)),
        CONSTRAINT user_operations_signed_check CHECK (state IN ('accepted', 'rejected') OR hash IS NOT NULL)
      )`);
    // A cancellation takes the nonce of the operation that it replaces.
    await runner.query(`
      CREATE UNIQUE INDEX user_operations_nonce_key ON account_kit.user_operations
        (account_id, chain_id, nonce_key, nonce_sequence, (kind = 'cancellation'))
        WHERE state <> 'rejected' OR hash IS NOT NULL`);
    await runner.query(`
      CREATE INDEX user_operations_account_id_accepted_at_idx ON account_kit.user_operations
        (account_id, accepted_at, id)`);
    await runner.query(`
      CREATE INDEX user_operations_unfinished_idx ON account_kit.user_operations (chain_id, state, accepted_at)
        WHERE state IN ('accepted', 'signed', 'submitted', 'included', 'stuck')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.user_operations');
  }
}
