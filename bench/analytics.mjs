import pg from 'pg';
import { measureGrowth } from './analytics/growth.mjs';
import { measureIngest } from './analytics/ingest.mjs';
import { measureReports } from './analytics/reports.mjs';
import { startGatehouse } from './support/gatehouse.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

/**
 * Reports and ingest of analytics. With `--large` the ten million events of one community are stored.
 * @param {Children} children
 * @param {{ large: boolean }} options
 */
export async function analytics(children, { large }) {
  const gatehouse = await startGatehouse(children);
  const client = await gatehouse.createClient();
  const sql = new pg.Pool({ connectionString: gatehouse.databaseUrl, max: 2 });
  try {
    if (large) return await measureGrowth({ gatehouse, client, sql, withEvents: true });
    return [
      await measureReports({ children, gatehouse, client, sql }),
      await measureGrowth({ gatehouse, client, sql, withEvents: false }),
      await measureIngest({ gatehouse, sql }),
    ].join('\n\n');
  } finally {
    await sql.end();
    await gatehouse.stop();
  }
}
