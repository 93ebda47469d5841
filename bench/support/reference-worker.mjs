// The least that a worker has to do: take the job, update its row.
import { createPostgresBackend, Worker } from 'bullmq';
import pg from 'pg';

const { DATABASE_URL, REDIS_URL } = process.env;
const CONCURRENCY = 256;
const sql = new pg.Pool({ connectionString: DATABASE_URL, max: 5 });
const options = REDIS_URL
  ? { prefix: '{gatehouse}', connection: { url: REDIS_URL, maxRetriesPerRequest: null } }
  : { connection: { connectionString: DATABASE_URL, schema: 'queue', max: 2 } };

const worker = new Worker(
  'reference',
  async ({ data }) => {
    await sql.query(
      'UPDATE token_gating.checks SET result = $2, done_at = now() WHERE id = $1 AND result IS NULL',
      [data.requestId, '{"roles":[],"errors":[]}'],
    );
  },
  { ...options, concurrency: CONCURRENCY },
  ...(REDIS_URL ? [] : [createPostgresBackend]),
);
worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
await worker.waitUntilReady();
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
