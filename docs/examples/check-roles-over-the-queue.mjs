/**
 * An internal service that enqueues a check and waits for its result, with plain BullMQ
 * (`npm install bullmq ioredis`, or `bullmq pg` for PostgreSQL):
 *
 *     REDIS_URL=redis://… CLIENT_ID=client_… ACCOUNT=0x… RULES='[{"type":"ERC20",…}]' node check-roles-over-the-queue.mjs
 *
 * REDIS_URL may be several nodes of a cluster, comma separated. Without it the queues are in PostgreSQL:
 * QUEUE_DATABASE_URL or DATABASE_URL. Prints the result as JSON. A refused check is an error with the reason.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, DelayedError, Queue, setDefaultBackendFactory, Worker } from 'bullmq';

const { REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL, QUEUE_PREFIX = '{gatehouse}' } = process.env;
const { CLIENT_ID, ACCOUNT, RULES = '', CALLBACK_URL } = process.env;
const WAIT_MS = Number(process.env.WAIT_MS ?? 60_000);

for (const [name, value] of Object.entries({ CLIENT_ID, ACCOUNT, RULES }))
  if (!value) throw new Error(`${name} is missing`);

if (!REDIS_URL) setDefaultBackendFactory(createPostgresBackend);
const cluster = REDIS_URL?.includes(',') ? await clusterOf(REDIS_URL.split(',')) : undefined;
/** @type {import('bullmq').QueueOptions} */
const options = REDIS_URL
  ? { prefix: QUEUE_PREFIX, connection: cluster ?? { url: REDIS_URL, maxRetriesPerRequest: null } }
  : { connection: { connectionString: QUEUE_DATABASE_URL ?? DATABASE_URL, schema: 'queue', max: 2 } };

const requestId = randomUUID();
const rules = /** @type {object[]} */ (JSON.parse(RULES));
const isTree = (/** @type {object} */ rule) =>
  ['allOf', 'anyOf', 'not', 'atLeast'].some((name) => name in rule);

// Consume before enqueueing. A result of another service is put back into the queue.
/** @type {(value: object) => void} */
let resolveResult = () => undefined;
/** @type {Promise<object>} */
const result = new Promise((resolve, reject) => {
  resolveResult = resolve;
  // Failed reads are retried for ten minutes: a real service waits for longer than this default.
  setTimeout(() => {
    reject(new Error(`No result in ${WAIT_MS} ms`));
  }, WAIT_MS).unref();
});
/** @type {Worker<{ requestId: string }>} */
const worker = new Worker(
  'check-roles-results',
  async (job, token) => {
    if (job.data.requestId === requestId) {
      resolveResult(job.data);
      return;
    }
    await job.moveToDelayed(Date.now() + 1_000, token);
    throw new DelayedError();
  },
  options,
);
worker.on('error', (error) => {
  console.error(`results: ${error.message}`);
});

const queue = new Queue('check-roles', options);
queue.on('error', (error) => {
  console.error(`checks: ${error.message}`);
});
await queue.add(
  'check-roles',
  {
    // Consumers that do not know trees refuse version 2.
    version: rules.some(isTree) ? 2 : 1,
    requestId,
    clientId: CLIENT_ID,
    account: ACCOUNT,
    rules,
    ...(CALLBACK_URL ? { callbackUrl: CALLBACK_URL } : {}),
    reply: true,
  },
  // The job id makes enqueueing idempotent.
  {
    jobId: requestId,
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: 1_000,
  },
);

try {
  console.log(JSON.stringify(await Promise.race([result, refusal()])));
} finally {
  await worker.close();
  await queue.close();
  cluster?.disconnect();
}

/**
 * A refused check has no result: its job is in the failed list, with the reason.
 * @returns {Promise<never>}
 */
async function refusal() {
  for (;;) {
    await sleep(500, undefined, { ref: false });
    const job = await queue.getJob(requestId);
    if (job && (await job.isFailed())) throw new Error(`Refused: ${job.failedReason}`);
  }
}

/** @param {string[]} urls */
async function clusterOf(urls) {
  const { Cluster } = await import('ioredis');
  const { username, password, protocol } = new URL(urls[0] ?? '');
  return new Cluster(urls, {
    // Certificates contain host names.
    dnsLookup: (host, done) => {
      done(null, host);
    },
    redisOptions: {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      tls: protocol === 'rediss:' ? {} : undefined,
      maxRetriesPerRequest: null,
    },
  });
}
