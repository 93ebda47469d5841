import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A session is kept under a new id after each login. Two tabs that come from theirs at once are the same session twice for a moment. */
export class SessionsShareAUid1795132800050 implements MigrationInterface {
  readonly name = 'SessionsShareAUid1795132800050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identity.oauth_models_session_uid_key');
    await runner.query(
      `CREATE INDEX oauth_models_session_uid_idx ON identity.oauth_models (uid) WHERE kind = 'Session'`,
    );
  }

  /** Restores a unique `uid`: the newest of the sessions that share one stays. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identity.oauth_models_session_uid_idx');
    await runner.query(`
      DELETE FROM identity.oauth_models AS older USING identity.oauth_models AS newer
      WHERE older.kind = 'Session' AND newer.kind = 'Session' AND older.uid = newer.uid
        AND (older.created_at, older.id) < (newer.created_at, newer.id)`);
    await runner.query(
      `CREATE UNIQUE INDEX oauth_models_session_uid_key ON identity.oauth_models (uid) WHERE kind = 'Session'`,
    );
  }
}
