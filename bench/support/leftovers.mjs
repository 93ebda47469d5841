import { Redis } from 'ioredis';
import pg from 'pg';

/**
 * What stands in the tables, and on Redis when there is one.
 * @param {string} databaseUrl
 * @param {string | undefined} redisUrl
 * @returns {Promise<[string, number][]>}
 */
export async function leftovers(databaseUrl, redisUrl) {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  /** @type {{ rows: { name: string, count: number }[] }} */
  const { rows } = await sql.query(
    `SELECT schemaname || '.' || relname AS name,
            (xpath('/row/count/text()', query_to_xml(format('SELECT count(*) FROM %I.%I', schemaname, relname), false, true, '')))[1]::text::int AS count
     FROM pg_stat_user_tables WHERE schemaname IN ('token_gating', 'queue', 'gateway') ORDER BY 1`,
  );
  /** @type {{ rows: { checks: number, deliveries: number }[] }} */
  const pending = await sql.query(
    `SELECT (SELECT count(*)::int FROM token_gating.checks WHERE result IS NULL) AS checks,
            (SELECT count(*)::int FROM token_gating.deliveries WHERE state = 'pending') AS deliveries`,
  );
  await sql.end();
  const { checks = NaN, deliveries = NaN } = pending.rows[0] ?? {};
  /** @type {[string, number][]} */
  const left = rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]);
  left.push(['checks without a result', checks], ['deliveries that are pending', deliveries]);
  if (redisUrl) {
    const redis = new Redis(redisUrl);
    left.push(['keys on Redis', await redis.dbsize()]);
    await redis.quit();
  }
  return left;
}
