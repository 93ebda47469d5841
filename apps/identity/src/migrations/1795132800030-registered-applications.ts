import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What users say of their client applications and operators decide about them; and who did what. Applications that are
 * there already were made by an operator, and those that the version before this one makes will be: they are approved.
 */
export class RegisteredApplications1795132800030 implements MigrationInterface {
  readonly name = 'RegisteredApplications1795132800030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications
        ADD COLUMN redirect_uris text[] NOT NULL DEFAULT '{}',
        ADD COLUMN origins text[] NOT NULL DEFAULT '{}',
        ADD COLUMN icon_url text,
        ADD COLUMN implicit boolean NOT NULL DEFAULT false,
        ADD COLUMN id_token_alg text NOT NULL DEFAULT 'RS256',
        ADD COLUMN status text NOT NULL DEFAULT 'approved',
        ADD COLUMN rejection_reason text,
        ADD COLUMN revision integer NOT NULL DEFAULT 1,
        ADD CONSTRAINT client_applications_id_token_alg_check CHECK (id_token_alg IN ('RS256', 'ES256')),
        ADD CONSTRAINT client_applications_status_check CHECK (status IN ('pending', 'approved', 'rejected'))`);
    await runner.query('ALTER TABLE identity.plan_holders ADD COLUMN user_id text');
    await runner.query('CREATE UNIQUE INDEX plan_holders_user_id_key ON identity.plan_holders (user_id)');
    await runner.query('ALTER TABLE identity.api_keys ADD COLUMN replaced_by text');
    await runner.query(`
      CREATE TABLE identity.audit_records (
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        actor_kind text NOT NULL,
        actor_id text,
        action text NOT NULL,
        target text NOT NULL,
        details jsonb NOT NULL,
        CONSTRAINT audit_records_pkey PRIMARY KEY (id),
        CONSTRAINT audit_records_actor_check CHECK (
          actor_kind IN ('user', 'operator', 'command') AND (actor_kind = 'command') = (actor_id IS NULL)
        )
      )`);
    await runner.query('CREATE INDEX audit_records_target_idx ON identity.audit_records (target)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.audit_records');
    await runner.query('ALTER TABLE identity.api_keys DROP COLUMN replaced_by');
    await runner.query('ALTER TABLE identity.plan_holders DROP COLUMN user_id');
    await runner.query(`
      ALTER TABLE identity.client_applications
        DROP COLUMN redirect_uris,
        DROP COLUMN origins,
        DROP COLUMN icon_url,
        DROP COLUMN implicit,
        DROP COLUMN id_token_alg,
        DROP COLUMN status,
        DROP COLUMN rejection_reason,
        DROP COLUMN revision`);
  }
}
