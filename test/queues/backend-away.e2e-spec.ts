import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { aJob, BACKENDS, idsOf, QueueWorld, someJobs, type TestJob, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';

describe.each(BACKENDS)('while %s is away', (name) => {
  let world: QueueWorld;

  afterEach(async () => {
    await world.stop();
  });

  const isReady = (app: TestApp) => async () => (await app.health('ready')) === 200;
  const isDone = (jobs: TestJob[]) => async () => {
    const effects = new Set(await world.effects());
    return jobs.every(({ id }) => effects.has(id));
  };

  it('T04: an app starts, stays up, is not ready, and becomes ready when it appears', async () => {
    world = await QueueWorld.make(name, { isThere: false });
    const app = await world.app('early', { QUEUE_ENQUEUE_TIMEOUT_MS: '10000' });
    await sleep(1_500);
    expect(await app.health('live')).toBe(200);
    expect(await app.health('ready')).toBe(503);
    // Where it is known to be away nobody waits: five times ten seconds would be more than this test has.
    for (let time = 0; time < 5; time += 1)
      expect(await app.enqueue(someJobs(1))).toEqual({ status: 503, code: 'queue_unavailable' });
    await world.backend.bringBack();
    await until('ready', isReady(app), 30_000);
    const jobs = someJobs(5);
    await until('enqueued', async () => (await app.enqueue(jobs)).status === 200, 10_000);
    await until('done', isDone(jobs));
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('an app that never saw it ends in order', async () => {
    world = await QueueWorld.make(name, { isThere: false });
    const app = await world.app('lonely');
    await sleep(500);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('T05, T07: enqueueing fails soon, and after it is back what was acknowledged is done', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('steady', { CONCURRENCY: '1' });
    await until('ready', isReady(app));
    const before = someJobs(40, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    await sleep(1_200); // what was acknowledged is on the disk by now: appendfsync everysec
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

  it('an app that lost it ends in order, with a job under way', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('bereft', { CONCURRENCY: '1' });
    await until('ready', isReady(app));
    const job = aJob({ act: 'sleep', ms: 1_000 });
    await app.enqueue([job]);
    await until('started', async () => (await world.starts(job.id)).length === 1);
    await world.backend.takeAway();
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    expect(await world.effects()).toContain(job.id);
  });

  it('T06: frozen and thawed, it loses nothing that was acknowledged and doubles no effect', async () => {
    world = await QueueWorld.make(name);
    const app = await world.app('chilly', { CONCURRENCY: '2' });
    await until('ready', isReady(app));
    const before = someJobs(30, { act: 'sleep', ms: 50 });
    expect(await app.enqueue(before)).toEqual({ status: 200 });
    world.backend.freeze();
    const answers = await Promise.all(someJobs(5).map((job) => app.enqueue([job])));
    expect(answers).toEqual(answers.map(() => ({ status: 503, code: 'queue_unavailable' })));
    await sleep(4_000); // longer than a lock lasts here
    expect(await app.health('live')).toBe(200);
    await world.backend.unfreeze();
    await until('ready', isReady(app), 30_000);
    await until('done', isDone(before));
    const after = someJobs(5);
    await until('enqueued', async () => (await app.enqueue(after)).status === 200, 10_000);
    await until('done', isDone(after));
  });
});
