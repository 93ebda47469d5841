// The least that a worker has to do: take the job, update its row.
import { createPostgresBackend, Worker } from 'bullmq';
import pg from 'pg';

const { DATABASE_URL, REDIS_URL } = process.env;
const CONCURRENCY = 256;
const sql = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });
/** @param {{ data: { requestId: string } }} job */
const work = async ({ data }) => {
  await sql.query(
    'UPDATE token_gating.checks SET result = $2, done_at = now() WHERE id = $1 AND result IS NULL',
    [data.requestId, '{"roles":[],"errors":[]}'],
  );
};
const worker = REDIS_URL
  ? new Worker('reference', work, {
      prefix: '{gatehouse}',
      connection: { url: REDIS_URL, maxRetriesPerRequest: null },
      concurrency: CONCURRENCY,
    })
  : new Worker(
      'reference',
      work,
      {
        connection: { connectionString: DATABASE_URL, schema: 'queue', max: 2 },
        concurrency: CONCURRENCY,
      },
      createPostgresBackend,
    );
worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
await worker.waitUntilReady();
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
