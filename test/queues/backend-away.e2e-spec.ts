import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { aJob, BACKENDS, idsOf, QueueWorld, someJobs, type TestJob, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';
import { describeBackends } from '../support/needs.js';

describeBackends(BACKENDS, 'while %s is unavailable', (name) => {
  let world: QueueWorld;

  afterEach(async () => {
    await world.stop();
  });

  const isReady = (app: TestApp) => async () => (await app.health('ready')) === 200;
  const isDone = (jobs: TestJob[]) => async () => {
    const effects = new Set(await world.effects());
    return jobs.every(({ id }) => effects.has(id));
  };

  it('T04: queue backend that is away: an app starts, is live but not ready, and becomes ready when the backend starts', async () => {
    world = await QueueWorld.make(name, { isRunning: false });
    const app = await world.app('early', { QUEUE_ENQUEUE_TIMEOUT_MS: '10000' });
    await sleep(1_500);
    expect(await app.health('live')).toBe(200);
    expect(await app.health('ready')).toBe(503);
    // Fails at once: five timeouts of ten seconds would exceed the test's own.
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    await world.backend.bringBack();
    await until('ready', isReady(app), 30_000);
    const jobs = someJobs(5);
    await until('enqueued', async () => (await app.enqueue(jobs)).status === 200, 10_000);
    await until('done', isDone(jobs));
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('queue backend that is away: an app that never reached it shuts down cleanly', async () => {
    world = await QueueWorld.make(name, { isRunning: false });
    const app = await world.app('unconnected');
    await sleep(500);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('T05, T07: queue backend that is away: enqueueing fails fast, and acknowledged jobs are done after the backend is back', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('steady', { CONCURRENCY: '1' });
    await until('ready', isReady(app));
    const before = someJobs(40, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    await sleep(1_200); // acknowledged jobs are on disk: appendfsync everysec
    await world.backend.takeAway();
    const during = someJobs(3);
    expect(await app.enqueue(during)).toEqual({ status: 503, code: 'queue_unavailable' });
    expect(await app.health('live')).toBe(200);
    expect(await app.health('ready')).toBe(503);
    await world.backend.bringBack();
    await until('ready', isReady(app), 30_000);
    await until('enqueued', async () => (await app.enqueue(during)).status === 200, 10_000);
    await until('done', isDone([...before, ...during]));
    expect(await world.effects()).toEqual(idsOf([...before, ...during]));
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('queue backend that is away: an app that lost it shuts down cleanly, with a job running', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('disconnected', { CONCURRENCY: '1' });
    await until('ready', isReady(app));
    const job = aJob({ act: 'sleep', ms: 1_000 });
    await app.enqueue([job]);
    await until('started', async () => (await world.starts(job.id)).length === 1);
    await world.backend.takeAway();
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    expect(await world.effects()).toContain(job.id);
  });

  it('T06: queue backend that is away: frozen and resumed, it loses no acknowledged job and repeats no effect', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('frozen', { CONCURRENCY: '2' });
    await until('ready', isReady(app));
    const before = someJobs(30, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    world.backend.freeze();
    const answers = await Promise.all(someJobs(5).map((job) => app.enqueue([job])));
    expect(answers).toEqual(answers.map(() => ({ status: 503, code: 'queue_unavailable' })));
    await sleep(4_000); // longer than the lock duration of these apps
    expect(await app.health('live')).toBe(200);
    await world.backend.unfreeze();
    await until('ready', isReady(app), 30_000);
    await until('done', isDone(before));
    const after = someJobs(5);
    await until('enqueued', async () => (await app.enqueue(after)).status === 200, 10_000);
    await until('done', isDone(after));
  });
});
