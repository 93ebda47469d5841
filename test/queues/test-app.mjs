import { setTimeout as sleep } from 'node:timers/promises';
import { Global, Module } from '@nestjs/common';
import pg from 'pg';
import {
  QueueBackendMonitor,
  Consumer,
  Consumes,
  PermanentJobError,
  getProducerToken,
  QueuesModule,
  RetryLaterError,
} from '../../dist/libs/queues/src/index.js';
import {
  Database,
  createDatabaseProvider,
  ServiceDatabaseConfig,
} from '../../dist/libs/database/src/index.js';
import { OutboxService, OutboxModule } from '../../dist/libs/outbox/src/index.js';
import { bootstrap, ServiceContext } from '../../dist/libs/service/src/index.js';
import { testJobsQueue } from './test-jobs.mjs';

/**
 * An app with a queue that records every start of a job and, once per job, its effect. POST /enqueue takes
 * `{ jobs, options }`. CONSUMERS is the number of its consumers (1). With OUTBOX_SCHEMA it has an outbox there, which
 * POST /commit fills, and is ready without its queue.
 */
const pool = new pg.Pool({ connectionString: process.env.NOTES_DATABASE_URL, max: 5 });
pool.on('error', () => undefined);
const worker = process.env.WORKER_NAME;

class TestJobs extends Consumer {
  async handle({ id, act, ms }, job) {
    if (act === 'unseen') return;
    if (act === 'give-up-unseen') throw new PermanentJobError('Expected failure');
    await pool.query('INSERT INTO starts (id, worker, attempt) VALUES ($1, $2, $3)', [
      id,
      worker,
      job.attemptsMade,
    ]);
    if (act === 'sleep') await sleep(ms);
    if (act === 'sleep-once' && (await countStarts(id)) === 1) await sleep(ms);
    if (act === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    if (act === 'throw') throw new Error('Expected failure');
    if (act === 'give-up') throw new PermanentJobError('Expected failure');
    if (act === 'later-once' && (await countStarts(id)) === 1) throw new RetryLaterError(ms);
    await pool.query('INSERT INTO effects (id, worker) VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, worker]);
  }
}

async function countStarts(id) {
  const { rows } = await pool.query('SELECT count(*)::int AS starts FROM starts WHERE id = $1', [id]);
  return rows[0].starts;
}

class MoreTestJobs extends TestJobs {}

const consumers = [TestJobs, MoreTestJobs].slice(0, Number(process.env.CONSUMERS ?? 1));
for (const consumer of consumers)
  Consumes(testJobsQueue, { concurrency: Number(process.env.CONCURRENCY ?? 4) })(consumer);

class QueueReadiness {
  constructor(monitor, { readiness }) {
    readiness.addCheck('queue', () => monitor.probe());
  }
}
Reflect.defineMetadata('design:paramtypes', [QueueBackendMonitor, ServiceContext], QueueReadiness);

const queueReadiness = {
  provide: QueueReadiness,
  inject: [QueueBackendMonitor, ServiceContext],
  useFactory: (...args) => new QueueReadiness(...args),
};

const schema = process.env.OUTBOX_SCHEMA;
const outboxWindows = JSON.parse(process.env.OUTBOX_WINDOWS ?? '{}');

class DatabaseModule {}
const definition = { schema, entities: [], migrations: [] };
Module({
  providers: [
    ServiceDatabaseConfig,
    createDatabaseProvider({ definition, config: ServiceDatabaseConfig, context: ServiceContext }),
  ],
  exports: [Database],
})(DatabaseModule);
Global()(DatabaseModule);

class TestModule {}
Module({
  imports: [
    QueuesModule.forRoot(ServiceContext),
    QueuesModule.register(testJobsQueue),
    ...(schema
      ? [DatabaseModule, OutboxModule.forRoot({ schema, queues: [testJobsQueue], ...outboxWindows })]
      : []),
  ],
  providers: [...consumers, ...(schema ? [] : [queueReadiness])],
})(TestModule);

async function commit(app, jobs, { rollBack = false }) {
  await app.get(Database, { strict: false }).transaction(async (manager) => {
    await app.get(OutboxService, { strict: false }).add(manager, testJobsQueue, jobs);
    if (rollBack) throw new Error('Expected failure');
  });
}

async function handleJobs(handle, request, response) {
  try {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { jobs, options } = JSON.parse(body);
    await handle(jobs, options);
    response.status(200).end();
  } catch (error) {
    response
      .status(error.statusCode ?? 500)
      .json({ name: error.name, code: error.details?.code, message: error.message });
  }
}

bootstrap({
  name: 'queue-test',
  module: TestModule,
  configure: (app) => {
    const producer = app.get(getProducerToken(testJobsQueue), { strict: false });
    const enqueue = (jobs, options) => producer.enqueueMany(jobs, options);
    app.use('/enqueue', (request, response) => void handleJobs(enqueue, request, response));
    app.use(
      '/commit',
      (request, response) => void handleJobs((...args) => commit(app, ...args), request, response),
    );
  },
});
