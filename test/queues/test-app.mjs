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
} from '@app/queues';
import { Database, createDatabaseProvider, ServiceDatabaseConfig } from '@app/database';
import { OutboxService, OutboxModule } from '@app/outbox';
import { bootstrap, ServiceContext } from '@app/service';
import { testJobsQueue } from './test-jobs.mjs';

/** @import { INestApplication } from '@nestjs/common' */
/** @import { Request, Response } from 'express' */
/** @import { Producer } from '@app/queues' */
/** @import { Job } from 'bullmq' */
/** @import { z } from 'zod' */
/** @typedef {z.input<typeof testJobsQueue.payload>} TestJob */
/** @typedef {z.output<typeof testJobsQueue.payload>} ParsedJob */

/**
 * An app with a queue that records every start of a job and, once per job, its effect. POST /enqueue takes
 * `{ jobs, options }`. CONSUMERS is the number of its consumers (1). With OUTBOX_SCHEMA it has an outbox there, which
 * POST /commit fills, and is ready without its queue.
 */
const pool = new pg.Pool({ connectionString: process.env.NOTES_DATABASE_URL, max: 5 });
pool.on('error', () => undefined);
const worker = process.env.WORKER_NAME;

/** @extends {Consumer<ParsedJob>} */
class TestJobs extends Consumer {
  /** @param {ParsedJob} data @param {Job} job */
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

/** @param {string} id @returns {Promise<number>} */
async function countStarts(id) {
  /** @type {{ rows: { starts: number }[] }} */
  const { rows } = await pool.query('SELECT count(*)::int AS starts FROM starts WHERE id = $1', [id]);
  return rows[0]?.starts ?? 0;
}

class MoreTestJobs extends TestJobs {}

const consumers = [TestJobs, MoreTestJobs].slice(0, Number(process.env.CONSUMERS ?? 1));
for (const consumer of consumers)
  Consumes(testJobsQueue, { concurrency: Number(process.env.CONCURRENCY ?? 4) })(consumer);

class QueueReadiness {
  /** @param {InstanceType<typeof QueueBackendMonitor>} monitor @param {InstanceType<typeof ServiceContext>} context */
  constructor(monitor, { readiness }) {
    readiness.addCheck('queue', () => monitor.probe());
  }
}
Reflect.defineMetadata('design:paramtypes', [QueueBackendMonitor, ServiceContext], QueueReadiness);

const queueReadiness = {
  provide: QueueReadiness,
  inject: [QueueBackendMonitor, ServiceContext],
  /** @param {InstanceType<typeof QueueBackendMonitor>} monitor @param {InstanceType<typeof ServiceContext>} context */
  useFactory: (monitor, context) => new QueueReadiness(monitor, context),
};

const schema = process.env.OUTBOX_SCHEMA;
const outboxWindows = /** @type {object} */ (JSON.parse(process.env.OUTBOX_WINDOWS ?? '{}'));

class DatabaseModule {}
const definition = { schema: schema ?? '', entities: [], migrations: [] };
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

/** @param {INestApplication} app @param {TestJob[]} jobs @param {{ rollBack?: boolean }} options */
async function commit(app, jobs, { rollBack = false }) {
  await app.get(Database, { strict: false }).transaction(async (manager) => {
    await app.get(OutboxService, { strict: false }).add(manager, testJobsQueue, jobs);
    if (rollBack) throw new Error('Expected failure');
  });
}

/**
 * @param {(jobs: TestJob[], options: object) => Promise<void>} handle
 * @param {Request} request
 * @param {Response} response
 */
async function handleJobs(handle, request, response) {
  try {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { jobs, options } = /** @type {{ jobs: TestJob[], options: object }} */ (JSON.parse(body));
    await handle(jobs, options);
    response.status(200).end();
  } catch (error) {
    const { statusCode, name, details, message } =
      /** @type {Error & { statusCode?: number, details?: { code: string } }} */ (error);
    response.status(statusCode ?? 500).json({ name, code: details?.code, message });
  }
}

bootstrap({
  name: 'queue-test',
  module: TestModule,
  configure: (app) => {
    /** @type {Producer<typeof testJobsQueue>} */
    const producer = app.get(getProducerToken(testJobsQueue), { strict: false });
    /** @param {TestJob[]} jobs @param {object} options */
    const enqueue = (jobs, options) => producer.enqueueMany(jobs, options);
    app.use('/enqueue', (/** @type {Request} */ request, /** @type {Response} */ response) => {
      void handleJobs(enqueue, request, response);
    });
    app.use('/commit', (/** @type {Request} */ request, /** @type {Response} */ response) => {
      void handleJobs((jobs, options) => commit(app, jobs, options), request, response);
    });
  },
});
