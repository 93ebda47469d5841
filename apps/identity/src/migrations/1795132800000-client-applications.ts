import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plan holders, their client applications, the credentials of those, and the feed of what changed about them. */
export class ClientApplications1795132800000 implements MigrationInterface {
  readonly name = 'ClientApplications1795132800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.plan_holders (
        id text NOT NULL,
        name text NOT NULL,
        plan text NOT NULL,
        per_second bigint,
        per_month bigint,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT plan_holders_pkey PRIMARY KEY (id),
        CONSTRAINT plan_holders_plan_check CHECK (plan IN ('free', 'paid', 'enterprise')),
        CONSTRAINT plan_holders_limits_check CHECK (
          (plan = 'enterprise') = (per_second IS NOT NULL) AND (plan = 'enterprise') = (per_month IS NOT NULL)
        ),
        CONSTRAINT plan_holders_per_second_check CHECK (per_second BETWEEN 1 AND 9007199254740991),
        CONSTRAINT plan_holders_per_month_check CHECK (per_month BETWEEN 1 AND 9007199254740991)
      )`);
    await runner.query(`
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
        CONSTRAINT client_applications_pkey PRIMARY KEY (id),
        CONSTRAINT client_applications_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES identity.plan_holders (id),
        CONSTRAINT client_applications_type_check CHECK (type IN ('confidential', 'public'))
      )`);
    await runner.query(
      'CREATE INDEX client_applications_owner_id_idx ON identity.client_applications (owner_id)',
    );
    await this.createCredentialTable(runner, 'api_keys');
    await this.createCredentialTable(runner, 'client_secrets');
    await runner.query(`
      CREATE TABLE identity.credential_changes (
        seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        client_id text NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT credential_changes_pkey PRIMARY KEY (seq)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = [
      'credential_changes',
      'client_secrets',
      'api_keys',
      'client_applications',
      'plan_holders',
    ];
    for (const table of tables) await runner.query(`DROP TABLE identity.${table}`);
  }

  private async createCredentialTable(
    runner: QueryRunner,
    table: 'api_keys' | 'client_secrets',
  ): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.${table} (
        id text NOT NULL,
        client_id text NOT NULL,
        environment text NOT NULL,
        hash bytea NOT NULL,
        prefix text NOT NULL,
        last_four text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT ${table}_pkey PRIMARY KEY (id),
        CONSTRAINT ${table}_client_id_fkey FOREIGN KEY (client_id) REFERENCES identity.client_applications (id),
        CONSTRAINT ${table}_hash_check CHECK (octet_length(hash) = 32)
      )`);
    await runner.query(`CREATE UNIQUE INDEX ${table}_hash_key ON identity.${table} (hash)`);
    await runner.query(`CREATE INDEX ${table}_client_id_idx ON identity.${table} (client_id)`);
  }
}
