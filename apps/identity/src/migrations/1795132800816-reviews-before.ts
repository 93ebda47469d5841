import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which applications operators approved before reviews were recorded. The status does not say it: an application that asks for no
 * scope of APPROVAL_SCOPES was `approved` without any operator. Reviewed are those that hold such a scope, which every change of
 * their values would have ended, those of a tenant that the command line made, and those whose approval or creation on the
 * command line is in the audit log without a later change of their values by the owner.
 *
 * It runs apart from `1795132800815`, so that no statement reads rows under that one's lock. A database that applied an earlier
 * form of `1795132800815`, which took every `approved` application as reviewed, gets the same state. The revision is read before
 * the row is locked: when the owner changes the application meanwhile, the change has a higher one and is not reviewed.
 */
export class ReviewsBefore1795132800816 implements MigrationInterface {
  readonly name = 'ReviewsBefore1795132800816';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE identity.client_applications AS application
      SET reviewed_revision = CASE WHEN known.reviewed THEN known.revision END
      FROM (
        SELECT c.id, c.revision,
          c.approved_scopes && ARRAY['token-gating', 'community:analytics', 'accountkit']
            OR (c.status <> 'rejected' AND (h.user_id IS NULL OR coalesce(decisions.latest > decisions.change, false)))
            AS reviewed
        FROM identity.client_applications AS c
        JOIN identity.plan_holders AS h ON h.id = c.owner_id
        CROSS JOIN LATERAL (
          SELECT
            max(id) FILTER (
              WHERE action = 'client.approved' OR (action = 'client.created' AND actor_kind = 'command')
            ) AS latest,
            coalesce(max(id) FILTER (
              WHERE action = 'client.changed' AND actor_kind = 'user'
                AND details ?| ARRAY['name', 'iconUrl', 'redirectUris', 'postLogoutRedirectUris', 'origins']
            ), 0) AS change
          FROM identity.audit_records
          WHERE target = c.id
        ) AS decisions
      ) AS known
      WHERE application.id = known.id AND application.waiting_values IS NULL
        AND application.reviewed_revision IS DISTINCT FROM CASE WHEN known.reviewed THEN known.revision END`);
  }

  /** The columns go with `1795132800815`. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
