import { forgetReplacedMigrations, hasReplacedMigrations } from '@app/database';
import { createOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migrations that this one replaces (docs/adr/0102). */
const REPLACED = { count: 32, newest: 'TokensOfCredentials1795132800911' };

const CHECKS = `
  -- Asynchronous checks of roles.
  CREATE TABLE token_gating.checks (
    id uuid NOT NULL,
    client_id text NOT NULL,
    idempotency_key text,
    request_hash bytea NOT NULL,
    request jsonb NOT NULL,
    callback_url text,
    reply boolean NOT NULL,
    replied_at timestamptz,
    result jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_run_at timestamptz NOT NULL,
    done_at timestamptz,
    expires_at timestamptz NOT NULL,
    -- The community and user that a role callback is about: a callback that nobody requested.
    subject jsonb,
    -- The user who requested the check; null for a client application. It decides what the result may tell of the
    -- user's wallets.
    asker_user_id text,
    tenant_id text,
    -- When the reads of the check first failed.
    failing_since timestamptz,
    CONSTRAINT checks_pk PRIMARY KEY (id)
  );
  CREATE INDEX checks_pending_index ON token_gating.checks (next_run_at) WHERE result IS NULL;
  CREATE INDEX checks_unreplied_index ON token_gating.checks (done_at)
    WHERE reply AND replied_at IS NULL AND result IS NOT NULL;
  CREATE INDEX checks_expires_at_index ON token_gating.checks (expires_at);
  -- Idempotency keys of users are apart from those of their client application.
  CREATE UNIQUE INDEX checks_idempotency_key_index
    ON token_gating.checks (client_id, coalesce(asker_user_id, ''), idempotency_key);

  -- Keys that sign callbacks. The private halves are sealed under CALLBACK_KEY_SECRET.
  CREATE TABLE token_gating.callback_keys (
    kid text NOT NULL,
    x text NOT NULL,
    sealed_private_key bytea NOT NULL,
    published_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    signs_until timestamptz,
    CONSTRAINT callback_keys_pkey PRIMARY KEY (kid),
    CONSTRAINT callback_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
  );

  -- Callbacks, of a check or with a content of their own (a role callback).
  CREATE TABLE token_gating.deliveries (
    id text NOT NULL,
    check_id uuid,
    url text NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    request_id uuid,
    client_id text,
    payload jsonb,
    expires_at timestamptz,
    -- Callbacks take turns by tenant.
    tenant_id text NOT NULL DEFAULT '',
    traceparent text,
    CONSTRAINT deliveries_pk PRIMARY KEY (id),
    CONSTRAINT deliveries_check_fk FOREIGN KEY (check_id) REFERENCES token_gating.checks (id) ON DELETE CASCADE,
    CONSTRAINT deliveries_state_known CHECK (state IN ('pending', 'delivered', 'failed')),
    CONSTRAINT deliveries_content_check
      CHECK ( num_nulls(request_id, client_id, payload, expires_at) = CASE WHEN check_id IS NULL THEN 0 ELSE 4 END )
  );
  CREATE INDEX deliveries_check_index ON token_gating.deliveries (check_id);
  CREATE INDEX deliveries_pending_index ON token_gating.deliveries (next_attempt_at) WHERE state = 'pending';
  CREATE INDEX deliveries_request_idx ON token_gating.deliveries (request_id) WHERE request_id IS NOT NULL;
  CREATE INDEX deliveries_expires_idx ON token_gating.deliveries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX deliveries_tenant_idx ON token_gating.deliveries (tenant_id, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX deliveries_community_idx ON token_gating.deliveries ((payload ->> 'communityId'))
    WHERE payload IS NOT NULL;
  -- An erasure finds the role callbacks that name a user.
  CREATE INDEX deliveries_user_idx ON token_gating.deliveries ((payload ->> 'userId'))
    WHERE payload ->> 'userId' IS NOT NULL;

  CREATE TABLE token_gating.delivery_attempts (
    delivery_id text NOT NULL,
    attempt integer NOT NULL,
    started_at timestamptz NOT NULL,
    milliseconds integer NOT NULL,
    status integer,
    failure text,
    CONSTRAINT delivery_attempts_pk PRIMARY KEY (delivery_id, attempt),
    CONSTRAINT delivery_attempts_delivery_fk
      FOREIGN KEY (delivery_id) REFERENCES token_gating.deliveries (id) ON DELETE CASCADE
  );

  -- URLs that client applications are called back at when the state of an operation changes.
  CREATE TABLE token_gating.operation_receivers (
    client_id text NOT NULL,
    tenant_id text NOT NULL,
    callback_url text NOT NULL,
    -- The challenge that the receiver has not answered yet.
    challenge text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT operation_receivers_pkey PRIMARY KEY (client_id)
  );`;

const COMMUNITIES = `
  CREATE TABLE token_gating.communities (
    id text NOT NULL,
    name text NOT NULL,
    platform text NOT NULL,
    visibility text NOT NULL,
    owner_id text NOT NULL,
    icon_url text,
    server_image text,
    network text,
    -- The rules as administrators wrote them. They are parsed again each time.
    rules jsonb NOT NULL DEFAULT '[]',
    -- Every change of the rules raises the revision: the result of an evaluation with earlier rules is not stored.
    rules_revision integer NOT NULL DEFAULT 1,
    invitation_revision integer NOT NULL DEFAULT 1,
    member_count integer NOT NULL DEFAULT 0,
    next_check_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null while the community is active.
    suspended_at timestamptz,
    -- The reason is shown to operators only.
    suspension_reason text,
    CONSTRAINT communities_pkey PRIMARY KEY (id),
    CONSTRAINT communities_visibility_check CHECK (visibility IN ('public', 'members', 'hidden')),
    CONSTRAINT communities_member_count_check CHECK (member_count >= 0),
    CONSTRAINT communities_suspension_check CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL))
  );
  CREATE INDEX communities_owner_idx ON token_gating.communities (owner_id);
  CREATE INDEX communities_next_check_idx ON token_gating.communities (next_check_at);
  CREATE INDEX communities_public_idx ON token_gating.communities (created_at, id) WHERE visibility = 'public';
  CREATE INDEX communities_suspended_idx ON token_gating.communities (suspended_at, id) WHERE suspended_at IS NOT NULL;

  CREATE TABLE token_gating.community_administrators (
    community_id text NOT NULL,
    user_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT community_administrators_pkey PRIMARY KEY (community_id, user_id),
    CONSTRAINT community_administrators_community_fkey
      FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
  );
  CREATE INDEX community_administrators_user_idx
    ON token_gating.community_administrators (user_id, created_at, community_id);

  CREATE TABLE token_gating.community_clients (
    community_id text NOT NULL,
    client_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The URL that is called back when roles of members change.
    callback_url text,
    tenant_id text,
    -- The challenge that the receiver has not answered yet.
    challenge text,
    CONSTRAINT community_clients_pkey PRIMARY KEY (community_id, client_id),
    CONSTRAINT community_clients_community_fkey
      FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
  );

  CREATE TABLE token_gating.community_roles (
    community_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    color integer,
    position integer NOT NULL,
    CONSTRAINT community_roles_pkey PRIMARY KEY (community_id, id),
    CONSTRAINT community_roles_community_fkey
      FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
  );

  -- Members, removed_members and role_assignments have no foreign key to their community: its deletion would be row
  -- by row in one transaction, and each role that a balance check grants would be looked up again. The purge deletes
  -- them in batches.
  CREATE TABLE token_gating.community_members (
    community_id text NOT NULL,
    user_id text NOT NULL,
    platform text NOT NULL,
    platform_user_id text NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The time at which the stored evaluation began: the result of an older one does not replace it.
    evaluated_at timestamptz,
    CONSTRAINT community_members_pkey PRIMARY KEY (community_id, user_id)
  );
  CREATE INDEX community_members_page_idx ON token_gating.community_members (community_id, joined_at, user_id);
  CREATE INDEX community_members_platform_idx ON token_gating.community_members (community_id, platform_user_id);
  CREATE INDEX community_members_user_idx ON token_gating.community_members (user_id, joined_at, community_id);

  -- Members whom a manager removed, and the revision of the invitation that they may know.
  CREATE TABLE token_gating.removed_members (
    community_id text NOT NULL,
    user_id text NOT NULL,
    invitation_revision integer NOT NULL,
    CONSTRAINT removed_members_pkey PRIMARY KEY (community_id, user_id)
  );

  -- Client applications that reported a member, and so know the member's id on the platform.
  CREATE TABLE token_gating.reported_members (
    community_id text NOT NULL,
    user_id text NOT NULL,
    client_id text NOT NULL,
    CONSTRAINT reported_members_pkey PRIMARY KEY (community_id, user_id, client_id),
    CONSTRAINT reported_members_member_fkey
      FOREIGN KEY (community_id, user_id) REFERENCES token_gating.community_members (community_id, user_id) ON DELETE CASCADE
  );

  CREATE TABLE token_gating.role_assignments (
    community_id text NOT NULL,
    user_id text NOT NULL,
    role_id text NOT NULL,
    granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT role_assignments_pkey PRIMARY KEY (community_id, user_id, role_id)
  );
  -- The index does not begin like the primary key: with stale statistics of a growing community PostgreSQL took one
  -- for the other, and read the whole community for each member.
  CREATE INDEX role_assignments_holders_idx ON token_gating.role_assignments (role_id, community_id, user_id);

  CREATE TABLE token_gating.deleted_communities (
    community_id text NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The purge goes on at this time, so that one that fails lets others pass.
    purge_at timestamptz NOT NULL DEFAULT now(),
    failures integer NOT NULL DEFAULT 0,
    CONSTRAINT deleted_communities_pkey PRIMARY KEY (community_id)
  );

  -- Roles that were deleted while members are assigned to them.
  CREATE TABLE token_gating.deleted_roles (
    community_id text NOT NULL,
    role_id text NOT NULL,
    purge_at timestamptz NOT NULL DEFAULT now(),
    failures integer NOT NULL DEFAULT 0,
    CONSTRAINT deleted_roles_pkey PRIMARY KEY (community_id, role_id),
    CONSTRAINT deleted_roles_community_fkey
      FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE
  );`;

const COMMUNITY_WORK = `
  -- Checks of all members of a community, and how far they have come.
  CREATE TABLE token_gating.balance_checks (
    id uuid NOT NULL,
    community_id text NOT NULL,
    reason text NOT NULL,
    state text NOT NULL DEFAULT 'running',
    rules_revision integer NOT NULL,
    -- Members when the check began, members checked so far, role changes, and members without a verdict.
    total integer NOT NULL,
    done integer NOT NULL DEFAULT 0,
    changed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    -- The last member that was checked.
    after_joined_at timestamptz,
    after_user_id text,
    turn integer NOT NULL DEFAULT 0,
    -- A page whose reads fail adds one, a page whose reads succeed takes one away.
    retries integer NOT NULL DEFAULT 0,
    -- Set when members count as failed because nodes never answered.
    has_given_up boolean NOT NULL DEFAULT false,
    next_run_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The time at which the check began with these rules: members who joined later were evaluated when they joined.
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    CONSTRAINT balance_checks_pkey PRIMARY KEY (id),
    CONSTRAINT balance_checks_community_fkey
      FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE,
    CONSTRAINT balance_checks_reason_check CHECK (reason IN ('scheduled', 'requested')),
    CONSTRAINT balance_checks_state_check CHECK (state IN ('running', 'done'))
  );
  CREATE UNIQUE INDEX balance_checks_running_key ON token_gating.balance_checks (community_id) WHERE state = 'running';
  CREATE INDEX balance_checks_community_idx ON token_gating.balance_checks (community_id, created_at, id);
  CREATE INDEX balance_checks_due_idx ON token_gating.balance_checks (next_run_at) WHERE state = 'running';
  CREATE INDEX balance_checks_finished_idx ON token_gating.balance_checks (finished_at) WHERE state = 'done';

  -- The next free time of a role callback for each tenant.
  CREATE TABLE token_gating.role_callback_schedules (
    tenant_id text NOT NULL,
    next_at timestamptz NOT NULL,
    -- The begin of the last reserved time, so that one statement reserves and returns it.
    begins_at timestamptz,
    CONSTRAINT role_callback_schedules_pkey PRIMARY KEY (tenant_id)
  );

  -- Interactions that client applications reported in the last days, so that a repeated report counts once.
  CREATE TABLE token_gating.reported_interactions (
    community_id text NOT NULL,
    client_id text NOT NULL,
    -- The id that the client application gave.
    id text NOT NULL,
    -- SHA-256 of the content
    digest bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT reported_interactions_pkey PRIMARY KEY (community_id, client_id, id)
  );
  CREATE INDEX reported_interactions_expires_idx ON token_gating.reported_interactions (expires_at);

  CREATE TABLE token_gating.reported_interaction_counts (
    community_id text NOT NULL,
    client_id text NOT NULL,
    -- The day in UTC
    day date NOT NULL,
    count integer NOT NULL,
    CONSTRAINT reported_interaction_counts_pkey PRIMARY KEY (community_id, client_id, day)
  );`;

const ASSET_CLAIMS = `
  -- Keys of the tokens of asset claims, sealed under a key derived from CALLBACK_KEY_SECRET.
  CREATE TABLE token_gating.asset_claim_keys (
    kid text NOT NULL,
    use text NOT NULL,
    sealed bytea NOT NULL,
    published_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    signs_until timestamptz,
    CONSTRAINT asset_claim_keys_pkey PRIMARY KEY (kid),
    CONSTRAINT asset_claim_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
  );

  CREATE TABLE token_gating.asset_claims (
    id text NOT NULL,
    slug_hash bytea NOT NULL,
    user_id text NOT NULL,
    wallet_type text NOT NULL,
    wallet_chain_id text NOT NULL,
    wallet_address text NOT NULL,
    assets text[] NOT NULL,
    social_id text,
    opensea_url text,
    media_url text,
    signature text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT asset_claims_pkey PRIMARY KEY (id),
    CONSTRAINT asset_claims_slug_hash_key UNIQUE (slug_hash)
  );
  CREATE INDEX asset_claims_user_id_created_at_idx ON token_gating.asset_claims (user_id, created_at);
  CREATE INDEX asset_claims_expires_at_idx ON token_gating.asset_claims (expires_at);`;

const CREDENTIALS = `
  -- Keys that sign credentials, sealed under a key derived from CALLBACK_KEY_SECRET.
  CREATE TABLE token_gating.credential_keys (
    kid text NOT NULL,
    sealed bytea NOT NULL,
    published_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    signs_until timestamptz,
    CONSTRAINT credential_keys_pkey PRIMARY KEY (kid),
    CONSTRAINT credential_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
  );

  CREATE TABLE token_gating.credential_status_lists (
    id integer GENERATED ALWAYS AS IDENTITY,
    used integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The newest period in which the list was published: every instance publishes the same content in a period.
    published_from timestamptz,
    CONSTRAINT credential_status_lists_pkey PRIMARY KEY (id)
  );

  -- An entry outlives its credential, so that its place is never used again.
  CREATE TABLE token_gating.credential_status_entries (
    list_id integer NOT NULL,
    entry integer NOT NULL,
    revoked_at timestamptz,
    -- The period of the first published list that says that the entry is revoked.
    listed_from timestamptz,
    CONSTRAINT credential_status_entries_pkey PRIMARY KEY (list_id, entry),
    CONSTRAINT credential_status_entries_entry_check CHECK (entry >= 0)
  );
  CREATE INDEX credential_status_entries_revoked_idx ON token_gating.credential_status_entries (list_id, revoked_at)
    WHERE revoked_at IS NOT NULL;

  CREATE TABLE token_gating.verifiable_credentials (
    id text NOT NULL,
    user_id text NOT NULL,
    client_id text,
    type text NOT NULL,
    -- The address, in lower case when it is an EVM account.
    account_key text NOT NULL,
    wallet_type text NOT NULL,
    wallet_chain_id text NOT NULL,
    wallet_address text NOT NULL,
    community_id text,
    role_id text,
    -- Sealed under a key derived from CALLBACK_KEY_SECRET.
    sealed_claims bytea NOT NULL,
    thumbprint text NOT NULL,
    is_public boolean NOT NULL,
    list_id integer NOT NULL,
    entry integer NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- The end of a consent revokes the credentials that tokens issued before it requested.
    token_issued_at timestamptz,
    CONSTRAINT verifiable_credentials_pkey PRIMARY KEY (id),
    CONSTRAINT verifiable_credentials_entry_key UNIQUE (list_id, entry)
  );
  CREATE INDEX verifiable_credentials_user_id_idx ON token_gating.verifiable_credentials (user_id, created_at);
  CREATE INDEX verifiable_credentials_public_idx ON token_gating.verifiable_credentials (account_key, created_at)
    WHERE is_public;
  CREATE INDEX verifiable_credentials_expires_at_idx ON token_gating.verifiable_credentials (expires_at);
  CREATE INDEX verifiable_credentials_community_idx ON token_gating.verifiable_credentials (community_id, user_id)
    WHERE community_id IS NOT NULL AND revoked_at IS NULL;
  CREATE INDEX verifiable_credentials_client_id_idx ON token_gating.verifiable_credentials (client_id, id)
    WHERE client_id IS NOT NULL AND revoked_at IS NULL;

  CREATE TABLE token_gating.used_credential_nonces (
    nonce text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT used_credential_nonces_pkey PRIMARY KEY (nonce)
  );
  CREATE INDEX used_credential_nonces_expires_at_idx ON token_gating.used_credential_nonces (expires_at);

  -- Consents that ended a moment ago. The client_id is empty when the user was erased, which ends every consent.
  CREATE TABLE token_gating.ended_consents (
    user_id text NOT NULL,
    client_id text NOT NULL,
    ended_at timestamptz NOT NULL,
    CONSTRAINT ended_consents_pkey PRIMARY KEY (user_id, client_id)
  );
  CREATE INDEX ended_consents_ended_at_idx ON token_gating.ended_consents (ended_at);

  -- Numbers of credentials that users had issued by each client application on a UTC day. A limit is needed because a
  -- revoked credential keeps its place in a status list.
  CREATE TABLE token_gating.credential_issues (
    user_id text NOT NULL,
    day date NOT NULL,
    client_id text NOT NULL,
    issued integer NOT NULL,
    CONSTRAINT credential_issues_pkey PRIMARY KEY (user_id, day, client_id)
  );
  CREATE INDEX credential_issues_day_idx ON token_gating.credential_issues (day);`;

/** The whole schema of token-gating (docs/adr/0102). */
export class Baseline1795132801000 implements MigrationInterface {
  readonly name = 'Baseline1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    if (await hasReplacedMigrations(runner, 'token_gating', REPLACED)) return;
    for (const sql of [CHECKS, COMMUNITIES, COMMUNITY_WORK, ASSET_CLAIMS, CREDENTIALS])
      await runner.query(sql);
    await createOutbox(runner, 'token_gating');
  }

  async down(runner: QueryRunner): Promise<void> {
    await forgetReplacedMigrations(runner, 'token_gating', this.name);
    await runner.query(`
      DROP TABLE
        token_gating.checks, token_gating.callback_keys, token_gating.deliveries,
        token_gating.delivery_attempts, token_gating.operation_receivers, token_gating.communities,
        token_gating.community_administrators, token_gating.community_clients, token_gating.community_roles,
        token_gating.community_members, token_gating.removed_members, token_gating.reported_members,
        token_gating.role_assignments, token_gating.deleted_communities, token_gating.deleted_roles,
        token_gating.balance_checks, token_gating.role_callback_schedules,
        token_gating.reported_interactions, token_gating.reported_interaction_counts,
        token_gating.asset_claim_keys, token_gating.asset_claims, token_gating.credential_keys,
        token_gating.credential_status_lists, token_gating.credential_status_entries,
        token_gating.verifiable_credentials, token_gating.used_credential_nonces,
        token_gating.ended_consents, token_gating.credential_issues, token_gating.outbox`);
  }
}
