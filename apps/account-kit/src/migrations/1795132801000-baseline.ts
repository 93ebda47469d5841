import { forgetReplacedMigrations, hasReplacedMigrations } from '@app/database';
import { createOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migrations that this one replaces (docs/adr/0102). */
const REPLACED = { count: 29, newest: 'SolanaFees1795132800900' };

const ACCOUNTS = `
  -- Smart accounts of platform users. Addresses are stored before they are returned, and never change.
  CREATE TABLE account_kit.smart_accounts (
    id uuid NOT NULL,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    account_version text NOT NULL,
    key_root_id text NOT NULL,
    signer_address text NOT NULL,
    evm_address text NOT NULL,
    solana_addresses jsonb NOT NULL,
    action_address text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT smart_accounts_pkey PRIMARY KEY (id),
    CONSTRAINT smart_accounts_platform_platform_user_id_key UNIQUE (platform, platform_user_id),
    CONSTRAINT smart_accounts_evm_address_key UNIQUE (evm_address),
    CONSTRAINT smart_accounts_platform_check CHECK (platform IN ('chat', 'microblog', 'codehost')),
    CONSTRAINT smart_accounts_platform_user_id_check CHECK (platform_user_id ~ '^[1-9][0-9]{0,18}$'),
    CONSTRAINT smart_accounts_account_version_check CHECK (account_version IN ('0.7', '0.8'))
  );

  CREATE TABLE account_kit.new_account_counts (
    client_id text NOT NULL,
    day date NOT NULL,
    accounts integer NOT NULL,
    CONSTRAINT new_account_counts_pkey PRIMARY KEY (client_id, day)
  );

  -- Stored keys of accounts, each sealed for its name. An account without them has the keys that its root derives.
  CREATE TABLE account_kit.account_keys (
    account_id uuid NOT NULL,
    curve text NOT NULL,
    purpose text NOT NULL,
    network text NOT NULL,
    wrapping_key_id text NOT NULL,
    data_key bytea,
    sealed_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT account_keys_pkey PRIMARY KEY (account_id, curve, purpose, network),
    CONSTRAINT account_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
    CONSTRAINT account_keys_curve_check CHECK (curve IN ('secp256k1', 'ed25519')),
    CONSTRAINT account_keys_purpose_check CHECK (purpose IN ('account', 'action'))
  );
  CREATE INDEX account_keys_wrapping_key_id_idx ON account_kit.account_keys (wrapping_key_id);`;

const APPLICATIONS = `
  -- Platform tokens that operators have bound to a client application.
  CREATE TABLE account_kit.application_platforms (
    client_id text NOT NULL,
    bot_ids text[] NOT NULL DEFAULT '{}',
    accepts_unbound_tokens boolean NOT NULL DEFAULT false,
    CONSTRAINT application_platforms_pkey PRIMARY KEY (client_id),
    CONSTRAINT application_platforms_bot_ids_check CHECK (cardinality(bot_ids) <= 100)
  );

  -- The OAuth application of a client application at the code host. Its secret is sealed like stored keys.
  CREATE TABLE account_kit.codehost_apps (
    client_id text NOT NULL,
    oauth_client_id text NOT NULL,
    version uuid NOT NULL DEFAULT gen_random_uuid(),
    wrapping_key_id text NOT NULL,
    data_key bytea,
    sealed_secret bytea NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT codehost_apps_pkey PRIMARY KEY (client_id)
  );

  -- Limits of smart accounts for each client application (docs/adr/0055).
  CREATE TABLE account_kit.policies (
    client_id text NOT NULL,
    document jsonb NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT policies_pkey PRIMARY KEY (client_id)
  );

  -- Frozen subjects: nothing of them is signed or sent.
  CREATE TABLE account_kit.freezes (
    scope text NOT NULL,
    subject text NOT NULL,
    reason text NOT NULL,
    frozen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT freezes_pkey PRIMARY KEY (scope, subject),
    CONSTRAINT freezes_scope_check CHECK (scope IN ('account', 'application', 'chain', 'paymaster', 'everything'))
  );

  -- Custom actions that operators have listed, with their sources (docs/adr/0056).
  CREATE TABLE account_kit.custom_actions (
    client_id text NOT NULL,
    cid text NOT NULL,
    source bytea NOT NULL,
    size integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- With 'account', all client applications share the key of the account; with 'application', each has its own.
    key_scope text NOT NULL DEFAULT 'account',
    CONSTRAINT custom_actions_pkey PRIMARY KEY (client_id, cid),
    CONSTRAINT custom_actions_size_check CHECK (size = octet_length(source) AND size <= 262144),
    CONSTRAINT custom_actions_key_scope_check CHECK (key_scope IN ('account', 'application'))
  );

  -- Keys of custom actions that belong to a client application and an account (docs/adr/0056).
  CREATE TABLE account_kit.action_keys (
    account_id uuid NOT NULL,
    client_id text NOT NULL,
    key_root_id text NOT NULL,
    address text NOT NULL,
    wrapping_key_id text,
    data_key bytea,
    sealed_key bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT action_keys_pkey PRIMARY KEY (account_id, client_id),
    CONSTRAINT action_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
    CONSTRAINT action_keys_sealed_check CHECK ((wrapping_key_id IS NULL) = (sealed_key IS NULL))
  );
  CREATE INDEX action_keys_wrapping_key_id_idx ON account_kit.action_keys (wrapping_key_id);`;

const USER_OPERATIONS = `
  -- User operations (ERC-4337). A state is stored before it is acted on (contract.md section 10).
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
    state_seq integer NOT NULL,
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
    -- A claim orders by these three columns: operations that failed their simulation or reverted a bundle wait behind
    -- others.
    simulation_failures integer NOT NULL DEFAULT 0,
    strikes integer NOT NULL DEFAULT 0,
    goes_alone boolean NOT NULL DEFAULT false,
    -- Cancellations of a nonce are numbered from 1 (docs/adr/0084).
    cancellation_number integer NOT NULL DEFAULT 0,
    -- The client application whose own operation was refused because of the nonce of this one, which is not tried any
    -- more (docs/adr/0084).
    wanted_by text,
    wanted_at timestamptz,
    -- The reason for which an operation waits that has not failed, such as lower fees.
    hold_reason text,
    CONSTRAINT user_operations_pkey PRIMARY KEY (id),
    CONSTRAINT user_operations_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
    CONSTRAINT user_operations_chain_id_hash_key UNIQUE (chain_id, hash),
    CONSTRAINT user_operations_kind_check CHECK (kind IN ('call', 'mint', 'cancellation')),
    CONSTRAINT user_operations_state_check CHECK (
      state IN ('accepted', 'signed', 'submitted', 'included', 'final', 'reverted', 'rejected', 'expired', 'stuck')
    ),
    CONSTRAINT user_operations_signature_check CHECK ((hash IS NULL) = (signature IS NULL)),
    CONSTRAINT user_operations_signed_check CHECK (state IN ('accepted', 'rejected') OR hash IS NOT NULL)
  );
  CREATE INDEX user_operations_account_id_accepted_at_idx ON account_kit.user_operations (account_id, accepted_at, id);
  CREATE INDEX user_operations_unfinished_idx ON account_kit.user_operations (chain_id, state, accepted_at)
    WHERE state IN ('accepted', 'signed', 'submitted', 'included', 'stuck');
  -- The number of finished operations of an account must not slow its next one down.
  CREATE INDEX user_operations_unfinished_lane_idx
    ON account_kit.user_operations (account_id, chain_id, nonce_key, nonce_sequence)
    WHERE state IN ('accepted', 'signed', 'submitted', 'stuck');
  -- A policy bounds how many reverted operations a sponsor pays for on one day.
  CREATE INDEX user_operations_sponsored_reverts_idx ON account_kit.user_operations (client_id, accepted_at)
    WHERE paymaster IS NOT NULL AND success = false;
  -- A cancellation takes the nonce of the operation that it replaces.
  CREATE UNIQUE INDEX user_operations_numbered_nonce_key
    ON account_kit.user_operations (account_id, chain_id, nonce_key, nonce_sequence, (kind = 'cancellation'), cancellation_number)
    WHERE (state <> 'rejected' OR hash IS NOT NULL) AND state <> 'expired';
  CREATE INDEX user_operations_cancellations_idx ON account_kit.user_operations (client_id, accepted_at)
    WHERE kind = 'cancellation';
  -- Client applications take turns when their lanes are repaired (docs/adr/0084).
  CREATE INDEX user_operations_untried_turns_idx ON account_kit.user_operations (chain_id, client_id, id)
    WHERE state IN ('accepted', 'signed', 'submitted', 'stuck') AND reason = 'lapsed';
  CREATE INDEX user_operations_tried_turns_idx ON account_kit.user_operations (chain_id, client_id, id)
    WHERE state IN ('accepted', 'signed', 'submitted', 'stuck') AND reason IS DISTINCT FROM 'lapsed';
  CREATE INDEX user_operations_wanted_turns_idx ON account_kit.user_operations (chain_id, wanted_by, id)
    WHERE state IN ('accepted', 'signed', 'submitted', 'stuck') AND wanted_by IS NOT NULL;

  CREATE TABLE account_kit.bundler_submissions (
    operation_id uuid NOT NULL,
    first_block bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    underpriced_since timestamptz,
    CONSTRAINT bundler_submissions_pkey PRIMARY KEY (operation_id),
    CONSTRAINT bundler_submissions_operation_id_fkey
      FOREIGN KEY (operation_id) REFERENCES account_kit.user_operations (id)
  );

  -- Idempotency keys of user operations and Solana transactions. They bind when the operation is stored as accepted.
  CREATE TABLE account_kit.idempotency_keys (
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    operation_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (client_id, account_id, key_hash)
  );
  CREATE INDEX idempotency_keys_operation_id_idx ON account_kit.idempotency_keys (operation_id);
  -- Keys are deleted a day after their operations have ended, the oldest first.
  CREATE INDEX idempotency_keys_created_at_idx ON account_kit.idempotency_keys (created_at);

  -- Amounts that operations have used of the caps of policies (docs/adr/0058).
  CREATE TABLE account_kit.cap_usage (
    client_id text NOT NULL,
    cap_key text NOT NULL,
    subject text NOT NULL,
    period_start timestamptz NOT NULL,
    used numeric NOT NULL,
    max numeric NOT NULL,
    CONSTRAINT cap_usage_pkey PRIMARY KEY (client_id, cap_key, subject, period_start),
    CONSTRAINT cap_usage_used_check CHECK (used >= 0)
  ) WITH (fillfactor = 50);
  CREATE INDEX cap_usage_period_start_idx ON account_kit.cap_usage (period_start);

  -- Amounts that unfinished operations may still use of the caps.
  CREATE TABLE account_kit.cap_reservations (
    operation_id uuid NOT NULL,
    client_id text NOT NULL,
    cap_key text NOT NULL,
    subject text NOT NULL,
    period_start timestamptz NOT NULL,
    reserved numeric NOT NULL,
    if_reverted numeric NOT NULL,
    is_gas boolean NOT NULL,
    counted numeric NOT NULL,
    CONSTRAINT cap_reservations_pkey PRIMARY KEY (operation_id, cap_key)
  );
  CREATE INDEX cap_reservations_period_start_idx ON account_kit.cap_reservations (period_start);`;

const EXECUTORS = `
  CREATE TABLE account_kit.chain_leases (
    chain_id bigint NOT NULL,
    name text NOT NULL,
    holder uuid NOT NULL,
    leased_until timestamptz NOT NULL,
    CONSTRAINT chain_leases_pkey PRIMARY KEY (chain_id, name)
  );

  -- Transactions that own executors send. A raw transaction is stored before it is sent.
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
    -- The time since when every node has refused the transaction.
    refused_since timestamptz,
    refused_since_block bigint,
    -- The reason that nodes gave.
    refusal text,
    -- The reason for which an empty transaction takes the nonce.
    given_up_for text,
    CONSTRAINT executor_transactions_pkey PRIMARY KEY (id),
    CONSTRAINT executor_transactions_chain_id_executor_nonce_key UNIQUE (chain_id, executor, nonce),
    CONSTRAINT executor_transactions_state_check CHECK (state IN ('pending', 'mined', 'final', 'replaced')),
    CONSTRAINT executor_transactions_given_up_for_check
      CHECK (given_up_for IN ('refused', 'unmined', 'unpaid', 'expiring'))
  );
  CREATE INDEX executor_transactions_unfinished_idx ON account_kit.executor_transactions (chain_id, executor, nonce)
    WHERE state IN ('pending', 'mined');

  -- The first variant of a transaction, and one for each fee bump.
  CREATE TABLE account_kit.executor_transaction_variants (
    transaction_id uuid NOT NULL,
    number integer NOT NULL,
    hash text NOT NULL,
    raw bytea NOT NULL,
    max_fee_per_gas numeric(39) NOT NULL,
    max_priority_fee_per_gas numeric(39) NOT NULL,
    block_number bigint NOT NULL,
    -- An empty variant has no operations. It takes the nonce of a transaction that is given up.
    is_empty boolean NOT NULL DEFAULT false,
    CONSTRAINT executor_transaction_variants_pkey PRIMARY KEY (transaction_id, number),
    CONSTRAINT executor_transaction_variants_transaction_id_fkey
      FOREIGN KEY (transaction_id) REFERENCES account_kit.executor_transactions (id)
  );
  CREATE INDEX executor_transaction_variants_empty_idx ON account_kit.executor_transaction_variants (transaction_id)
    WHERE is_empty;

  CREATE TABLE account_kit.executor_transaction_operations (
    operation_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    CONSTRAINT executor_transaction_operations_pkey PRIMARY KEY (operation_id, transaction_id),
    CONSTRAINT executor_transaction_operations_operation_id_fkey
      FOREIGN KEY (operation_id) REFERENCES account_kit.user_operations (id),
    CONSTRAINT executor_transaction_operations_transaction_id_fkey
      FOREIGN KEY (transaction_id) REFERENCES account_kit.executor_transactions (id)
  );
  CREATE INDEX executor_transaction_operations_transaction_id_idx
    ON account_kit.executor_transaction_operations (transaction_id);`;

const SOLANA = `
  -- Solana transactions of accounts. The message never changes; the signatures are complete from 'signed' on.
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
    state_seq integer NOT NULL DEFAULT 1,
    slot bigint,
    err jsonb,
    reason text,
    response jsonb,
    accepted_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz,
    -- The sponsor that pays the fee.
    sponsor text,
    -- The fee is taken off the balance of the sponsor before it is paid.
    fee bigint,
    CONSTRAINT solana_transactions_pkey PRIMARY KEY (id),
    CONSTRAINT solana_transactions_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
    CONSTRAINT solana_transactions_network_signature_key UNIQUE (network, signature),
    CONSTRAINT solana_transactions_network_check CHECK (network IN ('SOL', 'SOL_DEVNET')),
    CONSTRAINT solana_transactions_state_check
      CHECK (state IN ('accepted', 'signed', 'submitted', 'included', 'final', 'reverted', 'rejected', 'expired')),
    CONSTRAINT solana_transactions_message_check CHECK (length(message) + length(signatures) < 1232),
    CONSTRAINT solana_transactions_signed_check CHECK ( state IN ('accepted', 'rejected') OR signature IS NOT NULL)
  );
  -- A transaction that was rejected before it was signed may be submitted again.
  CREATE UNIQUE INDEX solana_transactions_message_key ON account_kit.solana_transactions (network, message_hash)
    WHERE state <> 'rejected';
  CREATE INDEX solana_transactions_unfinished_idx ON account_kit.solana_transactions (client_id, next_attempt_at)
    WHERE state IN ('accepted', 'signed', 'submitted', 'included');
  -- A policy bounds how many failed transactions a sponsor pays for on one day.
  CREATE INDEX solana_transactions_sponsored_reverts_idx ON account_kit.solana_transactions (client_id, accepted_at)
    WHERE sponsor IS NOT NULL AND err IS NOT NULL;
  -- The number of finished transactions of an account must not slow its next one down.
  CREATE INDEX solana_transactions_unfinished_account_idx ON account_kit.solana_transactions (account_id)
    WHERE state IN ('accepted', 'signed', 'submitted', 'included');
  -- Transactions that the balance of their sponsor does not show yet.
  CREATE INDEX solana_transactions_sponsored_in_flight_idx
    ON account_kit.solana_transactions (network, sponsor) INCLUDE (fee)
    WHERE sponsor IS NOT NULL AND state IN ('accepted', 'signed', 'submitted');`;

/** Events stay for about a second, and requests wait for their INSERT, which compression would slow down. */
const UNCOMPRESSED_OUTBOX = 'ALTER TABLE account_kit.outbox ALTER COLUMN payload SET STORAGE EXTERNAL';

/** The whole schema of account-kit (docs/adr/0102). */
export class Baseline1795132801000 implements MigrationInterface {
  readonly name = 'Baseline1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    if (await hasReplacedMigrations(runner, 'account_kit', REPLACED)) return;
    for (const sql of [ACCOUNTS, APPLICATIONS, USER_OPERATIONS, EXECUTORS, SOLANA]) await runner.query(sql);
    await createOutbox(runner, 'account_kit');
    await runner.query(UNCOMPRESSED_OUTBOX);
  }

  async down(runner: QueryRunner): Promise<void> {
    await forgetReplacedMigrations(runner, 'account_kit', this.name);
    await runner.query(`
      DROP TABLE
        account_kit.smart_accounts, account_kit.new_account_counts, account_kit.account_keys,
        account_kit.application_platforms, account_kit.codehost_apps, account_kit.policies,
        account_kit.freezes, account_kit.custom_actions, account_kit.action_keys,
        account_kit.user_operations, account_kit.bundler_submissions, account_kit.idempotency_keys,
        account_kit.cap_usage, account_kit.cap_reservations, account_kit.chain_leases,
        account_kit.executor_transactions, account_kit.executor_transaction_variants,
        account_kit.executor_transaction_operations, account_kit.solana_transactions, account_kit.outbox`);
  }
}
