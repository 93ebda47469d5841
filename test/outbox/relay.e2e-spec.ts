import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { foreignQueue } from '../queues/foreign-queue.js';
import { BACKENDS, idsOf, someJobs, STEADY_LOCK, type TestJob } from '../queues/queue-world.js';
import type { TestApp } from '../queues/test-app-process.js';
import { until } from '../support/until.js';
import { fetchMetric, OutboxWorld } from './outbox-world.js';
import { describeBackends } from '../support/needs.js';

/** No poll happens within the time of a test. */
const NO_POLL = { OUTBOX_POLL_MS: '60000' };

describeBackends(BACKENDS, 'the outbox relay with queues on %s', (name) => {
  let world: OutboxWorld;

  afterEach(async () => {
    await world.stop();
  });

  it('outbox relay: sends committed jobs once and immediately, and rolled-back jobs never', async () => {
    world = await OutboxWorld.make(name);
    const app = await world.app('writer', { ...NO_POLL, ...STEADY_LOCK });
    const [committed, rolledBack, more] = [someJobs(250), someJobs(20), someJobs(3)];
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    expect(await app.commit(committed)).toBe(200);
    expect(await app.commit(rolledBack, { rollBack: true })).toBe(500);
    expect(await app.commit(more)).toBe(200);
    await until('done', () => world.areDone([...committed, ...more]), 45_000);
    expect(await world.queues.effects()).toEqual(idsOf([...committed, ...more]));
    expect(await world.countRuns()).toEqual({ runs: 253, jobs: 253 });
    await until('empty', async () => (await world.countWaiting()) === 0);
    expect(await fetchMetric(app, 'outbox_jobs_sent_total')).toBe(253);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('outbox relay: sends jobs that another instance committed and did not send', async () => {
    world = await OutboxWorld.make(name);
    await world.app('finder');
    const left = someJobs(5);
    await world.insertRows('test-jobs', left);
    await until('done', () => world.areDone(left));
  });

  it('outbox relay: keeps jobs that are committed while the backend is unavailable, and stays ready', async () => {
    world = await OutboxWorld.make(name);
    const { backend } = world.queues;
    const app = await world.app('patient');
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    await backend.takeAway();
    const meanwhile = await commitOneByOne(app, 30);
    await until('noticed', async () => (await fetchMetric(app, 'queue_backend_usable')) === 0);
    const later = await commitOneByOne(app, 30);
    expect(await app.health('ready')).toBe(200);
    expect(await fetchMetric(app, 'outbox_rows', 'state="waiting"')).toBe(60);
    expect(await fetchMetric(app, 'outbox_oldest_seconds')).toBeGreaterThan(0);
    const warnings = app.logLines.filter((line) => line.includes('outbox relay failed'));
    // Slow commits may fail one by one until the absence of PostgreSQL is noticed; a warning for each of 60 would be a
    // flood.
    expect(warnings.length).toBeLessThanOrEqual(10);
    await backend.bringBack();
    await until('done', () => world.areDone([...meanwhile, ...later]));
    await until('empty', async () => (await world.countWaiting()) === 0);
    expect(await world.queues.effects()).toEqual(idsOf([...meanwhile, ...later]));
  });

  it('outbox relay: keeps jobs that are committed while the backend hangs, and sends them with later ones', async () => {
    world = await OutboxWorld.make(name);
    const { backend } = world.queues;
    const app = await world.app('patient', { QUEUE_ENQUEUE_TIMEOUT_MS: '1000' });
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    backend.freeze();
    const meanwhile = await commitOneByOne(app, 30);
    expect(await app.health('ready')).toBe(200);
    await sleep(3_000); // longer than the enqueue timeout
    await backend.unfreeze();
    const later = await commitOneByOne(app, 5);
    await until('done', () => world.areDone([...meanwhile, ...later]));
    await until('empty', async () => (await world.countWaiting()) === 0);
    expect(await world.queues.effects()).toEqual(idsOf([...meanwhile, ...later]));
  });

  it('outbox relay: does not duplicate a job when an instance is killed between sending and deleting it', async () => {
    world = await OutboxWorld.make(name);
    const onlyProduces = { CONSUMERS: '0' };
    const app = await world.app('victim', onlyProduces);
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    await world.blockDeletes();
    const { queue, close } = foreignQueue(world.queues.backend.env);
    try {
      const jobs = someJobs(20);
      await app.commit(jobs);
      await until('sent', async () => (await queue.getJobCounts('waiting'))['waiting'] === 20);
      app.kill();
      expect(await app.ended).toBeNull();
      expect(await world.countWaiting()).toBe(20);
      await world.allowDeletes();
      await world.expireClaims();
      await world.app('heir', onlyProduces);
      await until('empty', async () => (await world.countWaiting()) === 0);
      expect(await queue.getJobCounts('waiting', 'active', 'delayed')).toMatchObject({ waiting: 20 });
    } finally {
      await close();
    }
  });

  it('outbox relay: collects jobs for longer after many came at the same time', async () => {
    world = await OutboxWorld.make(name);
    const windows = { batchWindowMs: 20, busyWindowMs: 8_000 };
    const app = await world.app('collector', { ...NO_POLL, OUTBOX_WINDOWS: JSON.stringify(windows) });
    await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    const measureMs = async (jobs: TestJob[]): Promise<number> => {
      const began = performance.now();
      expect(await app.commit(jobs)).toBe(200);
      await until('empty', async () => (await world.countWaiting()) === 0);
      return performance.now() - began;
    };
    await measureMs(someJobs(20));
    const busyMs = await measureMs(someJobs(1));
    expect(busyMs).toBeGreaterThanOrEqual(windows.busyWindowMs - 100); // it began when the others had come
    expect(await measureMs(someJobs(1))).toBeLessThan(busyMs);
  });

  it('outbox relay: is emptied by several instances without sending a job twice', async () => {
    world = await OutboxWorld.make(name);
    const apps: TestApp[] = [];
    for (const worker of ['one', 'two', 'three']) apps.push(await world.app(worker, STEADY_LOCK));
    for (const app of apps)
      await until('usable', async () => (await fetchMetric(app, 'queue_backend_usable')) === 1);
    const left = someJobs(1_000); // five claims and more
    const writes = apps.flatMap((app) => [someJobs(50), someJobs(50)].map((jobs) => ({ app, jobs })));
    await Promise.all([
      world.insertRows('test-jobs', left),
      ...writes.map(async ({ app, jobs }) => {
        expect(await app.commit(jobs)).toBe(200);
      }),
    ]);
    const all = [...left, ...writes.flatMap(({ jobs }) => jobs)];
    await until('done', () => world.areDone(all));
    await until('empty', async () => (await world.countWaiting()) === 0);
    const sent = await Promise.all(apps.map((app) => fetchMetric(app, 'outbox_jobs_sent_total')));
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(all.length);
    expect(await world.countRuns()).toEqual({ runs: all.length, jobs: all.length });
    expect(await world.listDeadLetters()).toEqual([]);
    for (const { logLines } of apps) expect(logLines.join('\n')).not.toContain('deadlock');
  });

  // What the relay does with rows is the same with any backend.
  if (name !== 'postgres') return;

  it('outbox relay: sets jobs aside that no instance can send, without blocking others', async () => {
    world = await OutboxWorld.make(name);
    await world.insertRows('test-jobs', [{ secret: 'value' }, { id: 'fine', act: 'no such act' }]);
    await world.insertRows('no-such-queue', [{ id: 'lost' }]);
    const app = await world.app('tidy', { OUTBOX_UNSENDABLE_TIMEOUT_MS: '0' });
    const jobs = someJobs(10);
    await app.commit(jobs);
    await until('done', () => world.areDone(jobs));
    await until('set aside', async () => (await world.listDeadLetters()).length === 3);
    expect(await world.listDeadLetters()).toEqual([
      { queue: 'test-jobs', set_aside: 'id: is required; secret: is not a known field' },
      { queue: 'test-jobs', set_aside: expect.stringMatching(/^act: /) as unknown },
      { queue: 'no-such-queue', set_aside: 'no such queue' },
    ]);
    expect(await fetchMetric(app, 'outbox_rows', 'state="set_aside"')).toBe(3);
    expect(await fetchMetric(app, 'outbox_rows', 'state="waiting"')).toBe(0);
    await until('logged', () => app.logLines.filter((line) => line.includes('was set aside')).length === 3);
    expect(app.logLines.join('\n')).not.toContain('value"');
  });

  it('outbox relay: defers jobs that this version cannot send, however old they are', async () => {
    world = await OutboxWorld.make(name);
    const many = Array.from({ length: 500 }, () => ({ ofALaterVersion: true }));
    await world.insertRows('test-jobs', many);
    await world.backdate(2);
    const app = await world.app('older');
    const jobs = someJobs(10);
    await app.commit(jobs);
    await until('done', () => world.areDone(jobs));
    expect(await world.listDeadLetters()).toEqual([]);
    expect(await world.countWaiting()).toBe(500);
  });

  it('outbox relay: sends jobs that do not fit into one claim', async () => {
    world = await OutboxWorld.make(name);
    const large = Array.from({ length: 40 }, () => ({
      id: randomBytes(50_000).toString('hex'),
      act: 'unseen',
    }));
    await world.insertRows('test-jobs', large);
    const app = await world.app('strong');
    await until('empty', async () => (await world.countWaiting()) === 0);
    expect(await world.listDeadLetters()).toEqual([]);
    expect(await fetchMetric(app, 'outbox_jobs_sent_total')).toBe(40);
  });
});

async function commitOneByOne(app: TestApp, count: number): Promise<TestJob[]> {
  const jobs = someJobs(count);
  for (const job of jobs) expect(await app.commit([job])).toBe(200);
  return jobs;
}
