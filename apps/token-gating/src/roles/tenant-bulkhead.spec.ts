import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { RetryLaterError } from '@app/queues';
import { TenantBulkhead } from './tenant-bulkhead.js';

const PLACES = 2;
const JOBS = 100;

describe('TenantBulkhead', () => {
  it('T77: TenantBulkhead: costs no statement for a postponed job, and postpones each of many jobs a few times', async () => {
    const places = new TenantBulkhead(PLACES);
    const [running, loads, postponed] = [
      new Map<string, number>(),
      new Map<string, number>(),
      [] as string[],
    ];
    let maxRunning = 0;
    const add = (counts: Map<string, number>, key: string, change: number) =>
      counts.set(key, (counts.get(key) ?? 0) + change).get(key) ?? 0;
    const load = (ownerId: string) => () => {
      add(loads, ownerId, 1);
      return Promise.resolve({ ownerId, isWithoutApplication: false });
    };
    const work = async ({ ownerId }: { ownerId: string }) => {
      maxRunning = Math.max(maxRunning, add(running, ownerId, 1));
      await sleep(20);
      add(running, ownerId, -1);
    };
    /** Runs a job as the queue does: again after each delay. */
    const runJob = async (tenant: string): Promise<void> => {
      try {
        await places.run(`community of ${tenant}`, load(tenant), work);
      } catch (error) {
        if (!(error instanceof RetryLaterError)) throw error;
        postponed.push(tenant);
        await sleep(error.afterMs);
        await runJob(tenant);
      }
    };
    await runJob('attacker');
    const attack = Promise.all(Array.from({ length: JOBS }, () => runJob('attacker')));
    await runJob('victim');
    expect(postponed).not.toContain('victim');
    await attack;
    expect(maxRunning).toBe(PLACES);
    // Jobs that find a free place at the same moment load before they know that it is taken.
    expect(loads.get('attacker')).toBeLessThanOrEqual(2 * JOBS);
    expect(postponed.length).toBeLessThanOrEqual(4 * JOBS);
  });

  it('T350: TenantBulkhead: communities without an application of many owners have the places of one tenant, and leave others theirs', async () => {
    const places = new TenantBulkhead(1);
    const run = (ownerId: string, isWithoutApplication: boolean, work: () => Promise<void>) =>
      places.run(
        `community of ${ownerId} ${String(isWithoutApplication)}`,
        () => Promise.resolve({ ownerId, isWithoutApplication }),
        work,
      );
    let finish: () => void = () => undefined;
    const running = run('owner 0', true, () => new Promise<void>((resolve) => (finish = resolve)));
    await sleep(0);
    for (let owner = 1; owner < 20; owner += 1)
      await expect(run(`owner ${owner}`, true, () => Promise.resolve())).rejects.toThrow(RetryLaterError);
    const victims: string[] = [];
    for (const victim of ['victim', 'owner 0'])
      await run(victim, false, () => {
        victims.push(victim);
        return Promise.resolve();
      });
    expect(victims).toEqual(['victim', 'owner 0']);
    finish();
    await running;
  });

  /** Runs a job of a community without an application as the queue does, until `isOver`. @returns how often it was postponed */
  const runUntilDone = async (places: TenantBulkhead, ownerId: string, ms: number): Promise<number> => {
    for (let postponed = 0; ; postponed += 1)
      try {
        const load = () => Promise.resolve({ ownerId, isWithoutApplication: true });
        await places.run(`community of ${ownerId}`, load, () => sleep(ms));
        return postponed;
      } catch (error) {
        if (!(error instanceof RetryLaterError)) throw error;
        await sleep(error.afterMs);
      }
  };

  it('T350: TenantBulkhead: owners without an application take turns, so that one with many jobs delays another by few of them', async () => {
    const places = new TenantBulkhead(1);
    let [done, isOver] = [0, false];
    const attack = Array.from({ length: 60 }, async () => {
      while (!isOver) {
        await runUntilDone(places, 'attacker', 30);
        done += 1;
      }
    });
    while (done <= 5) await sleep(20);
    const before = done;
    for (let check = 0; check < 3; check += 1) await runUntilDone(places, 'victim', 1);
    expect(done - before).toBeLessThanOrEqual(60);
    isOver = true;
    await Promise.all(attack);
  });

  it('TenantBulkhead: a community whose application was approved has its owner’s places while all of the others are taken', async () => {
    const places = new TenantBulkhead(1);
    let isWithoutApplication = true;
    const load = () => Promise.resolve({ ownerId: 'owner', isWithoutApplication });
    let finish: () => void = () => undefined;
    const others = () => Promise.resolve({ ownerId: 'other', isWithoutApplication: true });
    const running = places.run('other', others, () => new Promise<void>((resolve) => (finish = resolve)));
    await sleep(0);
    await expect(places.run('c', load, () => Promise.resolve('checked'))).rejects.toThrow(RetryLaterError);
    isWithoutApplication = false;
    expect(await places.run('c', load, () => Promise.resolve('checked'))).toBe('checked');
    finish();
    await running;
  });

  it('T77: TenantBulkhead: postpones the jobs of a busy tenant one after the other, by a minute at most', async () => {
    const places = new TenantBulkhead(1);
    let loads = 0;
    const load = () => {
      loads += 1;
      return Promise.resolve({ ownerId: 'tenant', isWithoutApplication: false });
    };
    let finish: () => void = () => undefined;
    const running = places.run('c', load, () => new Promise<void>((resolve) => (finish = resolve)));
    await sleep(0);
    const delays: number[] = [];
    for (let job = 0; job < 10_000; job += 1)
      await places
        .run('c', load, () => Promise.resolve())
        .catch((error: unknown) => {
          delays.push((error as RetryLaterError).afterMs);
        });
    expect(delays).toHaveLength(10_000);
    expect(loads).toBe(1);
    expect(delays[1_000]).toBeGreaterThan(10_000);
    expect(Math.max(...delays)).toBe(60_000);
    finish();
    await running;
  });
});
