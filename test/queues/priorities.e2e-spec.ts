import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ForeignQueue, foreignQueue } from './foreign-queue.js';
import { aJob, BACKENDS, QueueWorld, someJobs, STEADY_LOCK, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';
import { describeBackends } from '../support/needs.js';

describeBackends(BACKENDS, 'waiting jobs on %s', (name) => {
  let world: QueueWorld;
  let app: TestApp;
  let foreign: ForeignQueue;

  beforeAll(async () => {
    world = await QueueWorld.make(name);
    app = await world.app('worker', { ...STEADY_LOCK, CONCURRENCY: '1' });
    await until('ready', async () => (await app.health('ready')) === 200);
    foreign = foreignQueue(world.backend.env);
  });

  afterAll(async () => {
    await foreign.close();
    await world.stop();
  });

  const started = async (): Promise<string[]> => {
    const { rows } = await world.notes.query<{ id: string }>('SELECT id FROM starts ORDER BY at');
    return rows.map(({ id }) => id);
  };

  it('waiting jobs: run by priority, the oldest of equals first, and all count as waiting', async () => {
    const [last, middle] = [someJobs(20, { rank: 7 }), someJobs(20, { rank: 3 })];
    const [urgent, none] = [aJob({ rank: 1 }), aJob()];
    await foreign.queue.pause();
    for (const jobs of [last, middle, [urgent]]) expect(await app.enqueue(jobs)).toEqual({ status: 200 });
    // Absent while the backend does not answer within a second.
    await until('all count as waiting', async () =>
      /^queue_jobs\{queue="test-jobs",state="waiting",.*\} 41$/m.test(await app.metrics()),
    );
    expect(await app.enqueue([none])).toEqual({ status: 200 });
    await foreign.queue.resume();
    await until('all are done', async () => (await world.effects()).length === 42);
    expect(await started()).toEqual([none, urgent, ...middle, ...last].map(({ id }) => id));
  });

  it('waiting jobs: keep their priority when they are delayed', async () => {
    const delayed = aJob({ act: 'later-once', ms: 0, rank: 1 });
    const others = someJobs(20, { rank: 7 });
    await foreign.queue.pause();
    await app.enqueue([...others, delayed]);
    await foreign.queue.resume();
    await until('all are done', async () => (await world.effects()).length === 63);
    const starts = (await started()).slice(-22);
    expect(starts[0]).toBe(delayed.id);
    expect(starts.lastIndexOf(delayed.id)).toBeLessThan(10);
  });
});
