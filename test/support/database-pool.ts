import pg from 'pg';

/**
 * A test's connections to a database that it drops at its end, or whose server it restarts. Losing an idle or closing
 * connection is no error: `end` resolves before the last one is closed.
 */
export function databasePool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const ignore = () => undefined;
  const pool = new pg.Pool({ connectionString, max: 2, ...options });
  pool.on('error', ignore);
  pool.on('connect', (client) => {
    client.on('error', ignore);
  });
  return pool;
}
