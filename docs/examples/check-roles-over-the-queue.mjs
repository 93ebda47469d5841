/**
 * An internal service that asks for a check of roles over the queue and waits for its result, with nothing but BullMQ:
 *
 *     REDIS_URL=redis://… CLIENT_ID=client_… ACCOUNT=0x… RULES='[{"type":"ERC20",…}]' node check-roles-over-the-queue.mjs
 *
 * Without REDIS_URL the queues are in PostgreSQL: QUEUE_DATABASE_URL or DATABASE_URL. Prints the result as JSON.
 */
import { randomUUID } from 'node:crypto';
import { createPostgresBackend, DelayedError, Queue, setDefaultBackendFactory, Worker } from 'bullmq';

const { REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL, QUEUE_PREFIX = '{gatehouse}' } = process.env;
const { CLIENT_ID, ACCOUNT, RULES, CALLBACK_URL } = process.env;
const WAIT_MS = Number(process.env.WAIT_MS ?? 60_000);

if (!REDIS_URL) setDefaultBackendFactory(createPostgresBackend);
const options = REDIS_URL
  ? { prefix: QUEUE_PREFIX, connection: { url: REDIS_URL, maxRetriesPerRequest: null } }
  : { connection: { connectionString: QUEUE_DATABASE_URL || DATABASE_URL, schema: 'queue', max: 2 } };

const requestId = randomUUID();

// Listen before asking. One service takes what is in the results queue; somebody else's result is put back.
let worker;
const result = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`No result in ${WAIT_MS} ms`)), WAIT_MS).unref();
  worker = new Worker(
    'check-roles-results',
    async (job, token) => {
      if (job.data.requestId === requestId) {
        resolve(job.data);
        return;
      }
      await job.moveToDelayed(Date.now() + 1_000, token);
      throw new DelayedError();
    },
    options,
  );
  worker.on('error', (error) => console.error(`results: ${error.message}`));
});

const queue = new Queue('check-roles', options);
queue.on('error', (error) => console.error(`checks: ${error.message}`));
await queue.add(
  'check-roles',
  {
    version: 1,
    requestId,
    clientId: CLIENT_ID,
    account: ACCOUNT,
    rules: JSON.parse(RULES),
    ...(CALLBACK_URL ? { callbackUrl: CALLBACK_URL } : {}),
    reply: true,
  },
  // The id makes asking twice the same as asking once.
  {
    jobId: requestId,
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: 1_000,
  },
);

try {
  console.log(JSON.stringify(await result));
} finally {
  await worker.close();
  await queue.close();
}
