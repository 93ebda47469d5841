import { forgetReplacedMigrations, hasReplacedMigrations } from '@app/database';
import { createOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migrations that this one replaces (docs/adr/0102). */
const REPLACED = { count: 35, newest: 'UsesOfPasskeys1795132800872' };

const APPLICATIONS = `
  -- Tenants: who pays for client applications. A tenant without a user was made on the command line.
  CREATE TABLE identity.plan_holders (
    id text NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    per_second bigint,
    per_month bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    user_id text,
    -- A limit that is null is no limit. Only an enterprise plan has one.
    max_client_applications integer,
    max_api_keys integer,
    CONSTRAINT plan_holders_pkey PRIMARY KEY (id),
    CONSTRAINT plan_holders_plan_check CHECK (plan IN ('free', 'paid', 'enterprise')),
    CONSTRAINT plan_holders_limits_check
      CHECK ( (plan = 'enterprise') = (per_second IS NOT NULL) AND (plan = 'enterprise') = (per_month IS NOT NULL) ),
    CONSTRAINT plan_holders_per_second_check CHECK (per_second BETWEEN 1 AND 9007199254740991),
    CONSTRAINT plan_holders_per_month_check CHECK (per_month BETWEEN 1 AND 9007199254740991),
    CONSTRAINT plan_holders_max_client_applications_check CHECK (max_client_applications >= 1),
    CONSTRAINT plan_holders_max_api_keys_check CHECK (max_api_keys >= 1)
  );
  CREATE UNIQUE INDEX plan_holders_user_id_key ON identity.plan_holders (user_id);

  CREATE TABLE identity.client_applications (
    id text NOT NULL,
    owner_id text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    requested_scopes text[] NOT NULL,
    approved_scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    redirect_uris text[] NOT NULL DEFAULT '{}',
    origins text[] NOT NULL DEFAULT '{}',
    icon_url text,
    implicit boolean NOT NULL DEFAULT false,
    id_token_alg text NOT NULL DEFAULT 'RS256',
    status text NOT NULL DEFAULT 'approved',
    rejection_reason text,
    revision integer NOT NULL DEFAULT 1,
    -- Applications that were registered before 'json' existed keep 'form'.
    token_response text NOT NULL DEFAULT 'json',
    post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
    -- Values that the owner has set and an operator has not approved yet.
    waiting_values jsonb,
    -- The revision whose name, icon and addresses an operator approved.
    reviewed_revision integer,
    CONSTRAINT client_applications_pkey PRIMARY KEY (id),
    CONSTRAINT client_applications_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES identity.plan_holders (id),
    CONSTRAINT client_applications_type_check CHECK (type IN ('confidential', 'public')),
    CONSTRAINT client_applications_id_token_alg_check CHECK (id_token_alg IN ('RS256', 'ES256')),
    CONSTRAINT client_applications_status_check CHECK (status IN ('pending', 'approved', 'rejected')),
    CONSTRAINT client_applications_token_response_check CHECK (token_response IN ('form', 'json'))
  );
  CREATE INDEX client_applications_owner_id_idx ON identity.client_applications (owner_id);
  -- Operators review the application first that waits longest.
  CREATE INDEX client_applications_waiting_idx ON identity.client_applications (updated_at, id)
    WHERE status = 'pending' AND deleted_at IS NULL;

  CREATE TABLE identity.api_keys (
    id text NOT NULL,
    client_id text NOT NULL,
    environment text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    replaced_by text,
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES identity.client_applications (id),
    CONSTRAINT api_keys_hash_check CHECK (octet_length(hash) = 32)
  );
  CREATE UNIQUE INDEX api_keys_hash_key ON identity.api_keys (hash);
  CREATE INDEX api_keys_client_id_idx ON identity.api_keys (client_id);

  CREATE TABLE identity.client_secrets (
    id text NOT NULL,
    client_id text NOT NULL,
    environment text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT client_secrets_pkey PRIMARY KEY (id),
    CONSTRAINT client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES identity.client_applications (id),
    CONSTRAINT client_secrets_hash_check CHECK (octet_length(hash) = 32)
  );
  CREATE UNIQUE INDEX client_secrets_hash_key ON identity.client_secrets (hash);
  CREATE INDEX client_secrets_client_id_idx ON identity.client_secrets (client_id);

  -- The feed of changed client applications and revoked tokens, which empties the caches of the gateway.
  CREATE TABLE identity.credential_changes (
    seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    client_id text,
    at timestamptz NOT NULL DEFAULT now(),
    token_id text,
    CONSTRAINT credential_changes_pkey PRIMARY KEY (seq),
    CONSTRAINT credential_changes_subject_check CHECK (num_nonnulls(client_id, token_id) = 1)
  );

  CREATE TABLE identity.audit_records (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    actor_kind text NOT NULL,
    actor_id text,
    action text NOT NULL,
    target text NOT NULL,
    details jsonb NOT NULL,
    CONSTRAINT audit_records_pkey PRIMARY KEY (id),
    CONSTRAINT audit_records_actor_check
      CHECK ( actor_kind IN ('user', 'operator', 'command') AND (actor_kind = 'command') = (actor_id IS NULL) )
  );
  -- The records of one target are read from the newest one on.
  CREATE INDEX audit_records_target_id_idx ON identity.audit_records (target, id);`;

const USERS = `
  CREATE TABLE identity.users (
    id text NOT NULL,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    user_name text,
    username text,
    name text,
    picture text,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Times of the last changes, of which a month allows a few.
    username_changes timestamptz[] NOT NULL DEFAULT '{}',
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_platform_check CHECK ( platform IN ('ethereum', 'solana', 'chat', 'microblog', 'codehost') )
  );
  CREATE UNIQUE INDEX users_platform_key ON identity.users (platform, platform_user_id);
  -- Users of other platforms do not sign in, so their usernames need not be unique.
  CREATE UNIQUE INDEX users_username_key ON identity.users (username)
    WHERE username IS NOT NULL AND platform IN ('ethereum', 'solana');

  -- Usernames that were ever used: none is given to a second user.
  CREATE TABLE identity.used_usernames (
    -- The HMAC of the username, so that a copy of the database does not tell the usernames of erased users.
    username_hash bytea NOT NULL,
    -- The user is null after an erasure.
    user_id text,
    used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT used_usernames_pkey PRIMARY KEY (username_hash),
    CONSTRAINT used_usernames_username_hash_check CHECK (octet_length(username_hash) = 32)
  );
  CREATE INDEX used_usernames_user_id_idx ON identity.used_usernames (user_id);

  -- Profiles of platform users as each client application reports them.
  CREATE TABLE identity.platform_user_profiles (
    client_id text NOT NULL,
    user_id text NOT NULL,
    user_name text,
    username text,
    name text,
    picture text,
    CONSTRAINT platform_user_profiles_pkey PRIMARY KEY (client_id, user_id),
    CONSTRAINT platform_user_profiles_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
  );

  -- ENS names of users as they were read last. A row is stale after an hour.
  CREATE TABLE identity.ens_names (
    user_id text NOT NULL,
    name text,
    checked_at timestamptz NOT NULL,
    CONSTRAINT ens_names_pkey PRIMARY KEY (user_id)
  );
  CREATE INDEX ens_names_checked_at_idx ON identity.ens_names (checked_at);`;

const WALLETS = `
  -- Wallets that users have proven to hold. Several users may hold the same wallet.
  CREATE TABLE identity.wallet_connections (
    id text NOT NULL,
    user_id text NOT NULL,
    wallet_key text NOT NULL,
    address text NOT NULL,
    account_id text NOT NULL,
    platform text NOT NULL,
    wallet_type text NOT NULL,
    chain_id text NOT NULL,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The community in which alone the wallet of a platform user counts; empty for a wallet that counts everywhere.
    community_id text NOT NULL DEFAULT '',
    CONSTRAINT wallet_connections_pkey PRIMARY KEY (id),
    CONSTRAINT wallet_connections_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id),
    CONSTRAINT wallet_connections_platform_check CHECK (platform IN ('ethereum', 'solana')),
    CONSTRAINT wallet_connections_wallet_type_check CHECK (wallet_type IN ('eoa', 'contract', 'solana'))
  );
  CREATE UNIQUE INDEX wallet_connections_user_key ON identity.wallet_connections (user_id, community_id, wallet_key);
  CREATE INDEX wallet_connections_wallet_idx ON identity.wallet_connections (wallet_key, user_id);
  CREATE INDEX wallet_connections_page_idx ON identity.wallet_connections (user_id, created_at, id);
  CREATE INDEX wallet_connections_community_idx ON identity.wallet_connections (community_id) WHERE community_id <> '';

  -- Messages that users sign to link a wallet.
  CREATE TABLE identity.wallet_challenges (
    -- SHA-256 of the message, in base64url
    digest text NOT NULL,
    user_id text NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The CAIP-10 account that the message names, or null.
    account_id text,
    -- The signature ends the links of other users to the wallet.
    ends_other_links boolean NOT NULL DEFAULT false,
    community_id text NOT NULL DEFAULT '',
    request_id text,
    request jsonb,
    -- The client application that requested the challenge, because the limit of open ones holds for each application.
    client_id text NOT NULL DEFAULT '',
    -- Challenges of contract wallets live longer, so expires_at does not tell which challenge is the oldest.
    issued_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT wallet_challenges_pkey PRIMARY KEY (digest),
    CONSTRAINT wallet_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
  );
  CREATE INDEX wallet_challenges_user_idx ON identity.wallet_challenges (user_id, community_id, client_id, expires_at);
  CREATE INDEX wallet_challenges_expires_idx ON identity.wallet_challenges (expires_at);
  CREATE UNIQUE INDEX wallet_challenges_request_key ON identity.wallet_challenges (request_id)
    WHERE request_id IS NOT NULL;

  -- Wallets that were unlinked in the last days, so that late events of memberships know them.
  CREATE TABLE identity.unlinked_wallets (
    -- The id of the wallet connection.
    id text NOT NULL,
    user_id text NOT NULL,
    -- Empty for a wallet that counted everywhere.
    community_id text NOT NULL,
    account_id text NOT NULL,
    linked_at timestamptz NOT NULL,
    unlinked_at timestamptz NOT NULL,
    CONSTRAINT unlinked_wallets_pkey PRIMARY KEY (id),
    CONSTRAINT unlinked_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
  );
  CREATE INDEX unlinked_wallets_user_idx ON identity.unlinked_wallets (user_id, unlinked_at);
  CREATE INDEX unlinked_wallets_at_idx ON identity.unlinked_wallets (unlinked_at);`;

const LOGINS = `
  -- Messages that wallets are asked to sign. The first attempt to use a message deletes it. The client_id is no
  -- foreign key, because identity's own pages request challenges too.
  CREATE TABLE identity.sign_in_challenges (
    id text NOT NULL,
    client_id text NOT NULL,
    namespace text NOT NULL,
    message text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (id),
    CONSTRAINT sign_in_challenges_namespace_check CHECK (namespace IN ('eip155', 'solana'))
  );
  CREATE INDEX sign_in_challenges_expires_at_idx ON identity.sign_in_challenges (expires_at);

  CREATE TABLE identity.browser_sessions (
    id_hash bytea NOT NULL,
    user_id text NOT NULL,
    -- Null after a login with a passkey.
    account text,
    signed_in_at timestamptz NOT NULL,
    signed_in_for text,
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- Authentication methods (RFC 8176); null for a login with a wallet.
    amr text[],
    -- The passkey that signed the session in: the session ends with it.
    passkey_id text,
    CONSTRAINT browser_sessions_pkey PRIMARY KEY (id_hash),
    CONSTRAINT browser_sessions_id_hash_check CHECK (octet_length(id_hash) = 32)
  );
  CREATE INDEX browser_sessions_expires_at_idx ON identity.browser_sessions (expires_at);
  CREATE INDEX browser_sessions_passkey_id_idx ON identity.browser_sessions (passkey_id) WHERE passkey_id IS NOT NULL;

  CREATE TABLE identity.passkeys (
    id text NOT NULL,
    user_id text NOT NULL,
    user_handle bytea NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    kept_at timestamptz,
    blocked_at timestamptz,
    -- The time of the last login tells an answer of a slow browser tab from the answer of a copied passkey.
    last_used_at timestamptz,
    CONSTRAINT passkeys_pkey PRIMARY KEY (id),
    CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
    CONSTRAINT passkeys_user_handle_check CHECK (octet_length(user_handle) = 32)
  );
  CREATE INDEX passkeys_user_id_idx ON identity.passkeys (user_id);

  CREATE TABLE identity.answered_passkey_challenges (
    hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT answered_passkey_challenges_pkey PRIMARY KEY (hash)
  );
  CREATE INDEX answered_passkey_challenges_expires_at_idx ON identity.answered_passkey_challenges (expires_at);

  -- Submitted forms of the portal, so that each counts once, with the secrets that they issued until these are shown.
  CREATE TABLE identity.form_submissions (
    id_hash bytea NOT NULL,
    sealed bytea,
    sealed_until timestamptz,
    expires_at timestamptz NOT NULL,
    CONSTRAINT form_submissions_pkey PRIMARY KEY (id_hash),
    CONSTRAINT form_submissions_id_hash_check CHECK (octet_length(id_hash) = 32)
  );
  CREATE INDEX form_submissions_expires_at_idx ON identity.form_submissions (expires_at);
  CREATE INDEX form_submissions_sealed_until_idx ON identity.form_submissions (sealed_until) WHERE sealed IS NOT NULL;`;

const TOKENS = `
  -- Keys that tokens are made with, sealed, and the times between which each is used.
  CREATE TABLE identity.token_keys (
    kid text NOT NULL,
    use text NOT NULL,
    sealed bytea NOT NULL,
    published_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    signs_until timestamptz,
    CONSTRAINT token_keys_pkey PRIMARY KEY (kid),
    CONSTRAINT token_keys_use_check CHECK (use IN ('access', 'id-rs256', 'id-es256', 'ae', 'nonce'))
  );

  CREATE TABLE identity.revoked_tokens (
    id text NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT revoked_tokens_pkey PRIMARY KEY (id)
  );
  CREATE INDEX revoked_tokens_expires_at_idx ON identity.revoked_tokens (expires_at);

  -- Numbers of tokens that a subject had revoked within the hour.
  CREATE TABLE identity.revocation_quotas (
    subject text NOT NULL,
    used integer NOT NULL,
    ends_at timestamptz NOT NULL,
    CONSTRAINT revocation_quotas_pkey PRIMARY KEY (subject)
  );
  CREATE INDEX revocation_quotas_ends_at_idx ON identity.revocation_quotas (ends_at);

  -- Live AE tokens, so that users can list and end them.
  CREATE TABLE identity.ae_tokens (
    jti text NOT NULL,
    user_id text NOT NULL,
    client_id text NOT NULL,
    scopes text[] NOT NULL,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT ae_tokens_pkey PRIMARY KEY (jti),
    CONSTRAINT ae_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
  );
  CREATE INDEX ae_tokens_user_id_idx ON identity.ae_tokens (user_id);
  CREATE INDEX ae_tokens_expires_at_idx ON identity.ae_tokens (expires_at);

  -- Sessions, interactions, grants, codes and tokens of OAuth 2.0: all are looked up alike and expire.
  CREATE TABLE identity.oauth_models (
    kind text NOT NULL,
    id text NOT NULL,
    grant_id text,
    client_id text,
    account_id text,
    uid text,
    payload jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz,
    -- A copy of a grant is as old as the decision that it copies. Without this time the grant was decided at
    -- created_at.
    decided_at timestamptz,
    CONSTRAINT oauth_models_pkey PRIMARY KEY (kind, id)
  );
  CREATE INDEX oauth_models_grant_id_idx ON identity.oauth_models (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX oauth_models_granted_idx ON identity.oauth_models (account_id, client_id) WHERE kind = 'Grant';
  CREATE INDEX oauth_models_expires_at_idx ON identity.oauth_models (expires_at);
  -- Not unique: a login stores a session under a new id, and two tabs may hold both at once.
  CREATE INDEX oauth_models_session_uid_idx ON identity.oauth_models (uid) WHERE kind = 'Session';`;

/** The whole schema of identity (docs/adr/0102). */
export class Baseline1795132801000 implements MigrationInterface {
  readonly name = 'Baseline1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    if (await hasReplacedMigrations(runner, 'identity', REPLACED)) return;
    for (const sql of [APPLICATIONS, USERS, WALLETS, LOGINS, TOKENS]) await runner.query(sql);
    await createOutbox(runner, 'identity');
  }

  async down(runner: QueryRunner): Promise<void> {
    await forgetReplacedMigrations(runner, 'identity', this.name);
    await runner.query(`
      DROP TABLE
        identity.plan_holders, identity.client_applications, identity.api_keys, identity.client_secrets,
        identity.credential_changes, identity.audit_records, identity.users, identity.used_usernames,
        identity.platform_user_profiles, identity.ens_names, identity.wallet_connections,
        identity.wallet_challenges, identity.unlinked_wallets, identity.sign_in_challenges,
        identity.browser_sessions, identity.passkeys, identity.answered_passkey_challenges,
        identity.form_submissions, identity.token_keys, identity.revoked_tokens, identity.revocation_quotas,
        identity.ae_tokens, identity.oauth_models, identity.outbox`);
  }
}
