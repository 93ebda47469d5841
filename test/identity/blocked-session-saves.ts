import pg from 'pg';
import { until } from '../support/until.js';

const KEY = 7_402_131;

const TRIGGER = `
  CREATE FUNCTION identity.wait_for_test() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${String(KEY)}); RETURN NEW; END $$;
  CREATE TRIGGER wait_for_test BEFORE INSERT ON identity.oauth_models FOR EACH ROW
    WHEN (NEW.kind = 'Session' AND NEW.account_id IS NOT NULL) EXECUTE FUNCTION identity.wait_for_test()`;

export interface BlockedSessionSaves {
  /** Resolves when a request waits to save a session. */
  waiting: () => Promise<void>;
  /** Lets all waiting requests continue. */
  release: () => Promise<void>;
}

/** Blocks inserts of signed-in sessions until release, to simulate slow requests. Release before the statement timeout. */
export async function blockSessionSaves(databaseUrl: string): Promise<BlockedSessionSaves> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(TRIGGER);
  await client.query('SELECT pg_advisory_lock($1)', [KEY]);
  return {
    waiting: () =>
      until('a session save waits', async () => {
        const { rowCount } = await client.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
          [KEY],
        );
        return rowCount === 1;
      }),
    release: async () => {
      await client.query('SELECT pg_advisory_unlock($1)', [KEY]);
      await client.query('DROP FUNCTION identity.wait_for_test CASCADE');
      await client.end();
    },
  };
}
