import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { foreignQueue } from './foreign-queue.js';
import { aJob, BACKENDS, QueueWorld, someJobs, STEADY_LOCK, until } from './queue-world.js';
import type { TestApp } from './test-app-process.js';
import { describeBackends } from '../support/needs.js';

describeBackends(BACKENDS, 'workers on %s', (name) => {
  let world: QueueWorld;

  beforeAll(async () => {
    world = await QueueWorld.make(name);
  });

  afterAll(async () => {
    await world.stop();
  });

  const ready = async (app: TestApp): Promise<TestApp> => {
    await until('ready', async () => (await app.health('ready')) === 200);
    return app;
  };

  it('T01: workers: repeat the job of a killed worker, with one effect', async () => {
    const killed = await ready(await world.app('killed', { ...STEADY_LOCK, CONCURRENCY: '1' }));
    const job = aJob({ act: 'sleep-once', ms: 600_000 }); // the first run never ends
    expect(await killed.enqueue([job])).toEqual({ status: 200 });
    await until('started', async () => (await world.starts(job.id)).length === 1);
    const other = await ready(await world.app('other'));
    killed.kill('SIGKILL');
    await until('effect', async () => (await world.effects()).includes(job.id));
    const starts = await world.starts(job.id);
    expect(starts.map(({ worker }) => worker)).toEqual(['killed', 'other']);
    expect(await other.metrics()).toMatch(/^queue_jobs_stalled_total\{queue="test-jobs",.*\} 1$/m);
    other.kill('SIGTERM');
    expect(await other.ended).toBe(0);
  });

  it.each([
    { what: 'that outlasts the shutdown delay', ms: 7_000, delay: 1_000 },
    { what: 'that does not', ms: 4_000, delay: 7_000 },
  ])('T02: workers: finish a running job $what on SIGTERM, and take no new one', async ({ ms, delay }) => {
    const app = await ready(
      await world.app('ending', { ...STEADY_LOCK, CONCURRENCY: '1', SHUTDOWN_DELAY_MS: String(delay) }),
    );
    const running = aJob({ act: 'sleep', ms });
    const waiting = someJobs(3);
    await app.enqueue([running]);
    await until('started', async () => (await world.starts(running.id)).length === 1);
    await app.enqueue(waiting);
    app.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    const effects = await world.effects();
    expect(effects).toContain(running.id);
    for (const { id } of waiting) expect(effects).not.toContain(id);
    const next = await ready(await world.app('next'));
    await until('the rest', async () => {
      const now = await world.effects();
      return waiting.every(({ id }) => now.includes(id));
    });
    expect(await world.starts(running.id)).toHaveLength(1);
    next.kill('SIGTERM');
    expect(await next.ended).toBe(0);
  });

  describe('in one app', () => {
    let app: TestApp;

    beforeAll(async () => {
      app = await ready(await world.app('staying', { ...STEADY_LOCK, CONCURRENCY: '2' }));
    });

    afterAll(async () => {
      app.kill('SIGTERM');
      expect(await app.ended).toBe(0);
    });

    const failedJobs = async (): Promise<number> => {
      const pattern = /^queue_jobs\{queue="test-jobs",state="failed",.*\} (\d+)$/m;
      let count: string | undefined;
      // Absent while the backend does not answer within a second.
      await until('jobs are counted', async () => {
        count = pattern.exec(await app.metrics())?.[1];
        return count !== undefined;
      });
      return Number(count);
    };

    it('T12: workers, in one app: retry a poisoned job, keep it as failed, and continue with the others', async () => {
      const failedBefore = await failedJobs();
      const poison = aJob({ act: 'throw' });
      const healthy = someJobs(20);
      expect(await app.enqueue([poison, ...healthy])).toEqual({ status: 200 });
      await until('failed', async () => (await failedJobs()) === failedBefore + 1);
      expect(await world.starts(poison.id)).toEqual(
        [0, 1, 2].map((attempt) => ({ worker: 'staying', attempt })),
      );
      await until('the others', async () => {
        const effects = await world.effects();
        return healthy.every(({ id }) => effects.includes(id));
      });
      // A failed job with the same id is replaced only on request.
      await app.enqueue([poison]);
      expect(await failedJobs()).toBe(failedBefore + 1);
      await app.enqueue([{ id: poison.id }], { replaceExisting: true });
      await until('replaced', async () => (await world.effects()).includes(poison.id));
      expect(await failedJobs()).toBe(failedBefore);
    });

    it('workers, in one app: do not retry a permanent failure', async () => {
      const failedBefore = await failedJobs();
      const failing = aJob({ act: 'give-up' });
      await app.enqueue([failing]);
      await until('failed', async () => (await failedJobs()) === failedBefore + 1);
      expect(await world.starts(failing.id)).toHaveLength(1);
    });

    it('workers, in one app: delay a job on RetryLaterError, without counting an attempt', async () => {
      const delayed = aJob({ act: 'later-once', ms: 300 });
      await app.enqueue([delayed]);
      await until('effect', async () => (await world.effects()).includes(delayed.id));
      expect((await world.starts(delayed.id)).map(({ attempt }) => attempt)).toEqual([0, 0]);
    });

    it('T10: workers, in one app: run a job once that is enqueued twenty times', async () => {
      const job = aJob({ act: 'sleep', ms: 6_000 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.enqueue([job])));
      expect(answers).toEqual(answers.map(() => ({ status: 200 })));
      await until('effect', async () => (await world.effects()).includes(job.id));
      expect(await world.starts(job.id)).toHaveLength(1);
    });

    it.each(['a:b:c', '12345', 'x'.repeat(300), '../../etc', 'ünï\ncödé', ' '])(
      'T11: workers, in one app: convert %j to a valid job id',
      async (id) => {
        expect(await app.enqueue([{ id }])).toEqual({ status: 200 });
        await until('effect', async () => (await world.effects()).includes(id));
      },
    );

    it('workers, in one app: reject a job that does not fit the schema', async () => {
      const { status } = await app.enqueue([{ id: 'x', act: 'dance' as 'nothing' }]);
      expect(status).toBe(500);
      expect(await world.starts('x')).toEqual([]);
    });
  });

  it('T13: workers: fail a job that stalls too often, and continue', async () => {
    const job = aJob({ act: 'sleep', ms: 20_000 });
    const env = { CONCURRENCY: '1', QUEUE_MAX_STALLS: '1' };
    for (const victim of ['first', 'second']) {
      const killed = await ready(await world.app(victim, env));
      if (victim === 'first') await killed.enqueue([job]);
      await until('started', async () =>
        (await world.starts(job.id)).some(({ worker }) => worker === victim),
      );
      killed.kill('SIGKILL');
      await killed.ended;
    }
    const survivor = await ready(await world.app('survivor', env));
    const failed = /^queue_jobs_processed_total\{queue="test-jobs",outcome="failed",.*\} 1$/m;
    await until('failed', async () => failed.test(await survivor.metrics()));
    expect((await world.starts(job.id)).map(({ worker }) => worker)).toEqual(['first', 'second']);
    const next = aJob();
    await survivor.enqueue([next]);
    await until('effect', async () => (await world.effects()).includes(next.id));
    survivor.kill('SIGTERM');
    expect(await survivor.ended).toBe(0);
  });

  it('T13: workers: lose no job to a handler that blocks its process, and repeat no effect of the stalled job', async () => {
    const blocked = await ready(await world.app('blocked', { CONCURRENCY: '1' }));
    // The job takes longer than another app takes to start on a busy machine.
    const heavy = aJob({ act: 'block', ms: 15_000 });
    await blocked.enqueue([heavy]);
    await until('started', async () => (await world.starts(heavy.id)).length === 1);
    const helper = await world.app('helper', { CONCURRENCY: '4' });
    const others = someJobs(20);
    // A foreign queue adds the jobs, by neither app: the job may block the helper, too, at any moment.
    const { queue, close } = foreignQueue(world.backend.env);
    await queue.addBulk(others.map((data) => ({ name: 'test-jobs', data, opts: { jobId: data.id } })));
    await close();
    await until('all done', async () => {
      const effects = await world.effects();
      return [heavy, ...others].every(({ id }) => effects.includes(id));
    });
    // What an app was asked before it could read it, it closes as overdue.
    await until('counted as stalled', async () =>
      /^queue_jobs_stalled_total\{queue="test-jobs",.*\} [1-9]/m.test(await helper.metrics().catch(() => '')),
    );
    await until('live', async () => (await blocked.health('live').catch(() => 0)) === 200);
    expect((await world.effects()).filter((id) => id === heavy.id)).toHaveLength(1);
  });
});

describe('an app', () => {
  it('app: fails to start when a queue has two consumers', async () => {
    const world = await QueueWorld.make('postgres');
    const starting = world.app('twice', { CONSUMERS: '2' });
    await expect(starting).rejects.toThrow(
      'The queue test-jobs has two consumers: TestJobs and MoreTestJobs',
    );
    await world.stop();
  });
});
