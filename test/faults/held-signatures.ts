import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

/** The time that PostgreSQL takes for a commit that is held. It goes on when its client is killed meanwhile. */
const HELD_SECONDS = 1;
const POLL_MS = 5;

/**
 * Holds the commits of signatures, so that an instance can be killed between the signature that is stored and the answer that its caller
 * never gets. The trigger is deferred: PostgreSQL has received the COMMIT when it runs, and executes it whatever happens to the client.
 */
export class HeldSignatures {
  private constructor(private readonly pool: pg.Pool) {}

  static async create(pool: pg.Pool): Promise<HeldSignatures> {
    await pool.query(`
      CREATE TABLE account_kit.held_ports (port int NOT NULL);
      CREATE FUNCTION account_kit.hold_signature() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT FROM account_kit.held_ports WHERE port = inet_client_port()) THEN
            PERFORM pg_sleep(${HELD_SECONDS});
          END IF;
          RETURN NULL;
        END $$;
      CREATE CONSTRAINT TRIGGER hold_signature AFTER UPDATE ON account_kit.user_operations DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.state = 'signed' AND OLD.state = 'accepted') EXECUTE FUNCTION account_kit.hold_signature()`);
    return new HeldSignatures(pool);
  }

  /**
   * Waits until an instance commits a signature.
   * @param ports by which PostgreSQL knows the sessions of the instance
   * @returns false if it has not signed anything for so long
   */
  async untilHeld(ports: readonly number[], timeoutMs: number): Promise<boolean> {
    await this.pool.query('INSERT INTO account_kit.held_ports SELECT unnest($1::int[])', [ports]);
    try {
      const end = Date.now() + timeoutMs;
      while (Date.now() < end) {
        const { rows } = await this.pool.query(
          `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND client_port = ANY($1::int[])`,
          [ports],
        );
        if (rows.length > 0) return true;
        await sleep(POLL_MS);
      }
      return false;
    } finally {
      await this.pool.query('DELETE FROM account_kit.held_ports WHERE port = ANY($1::int[])', [ports]);
    }
  }
}
