import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { health, Product } from './product.js';
import { describeBackends } from '../support/needs.js';

const READY_AGAIN_MS = 30_000;
/** Maximum time to accept a check while the queue is unavailable; waiting for the queue would exceed it. */
const ACCEPTED_MS = 2_000;

describeBackends(BACKENDS, 'while the queue on %s is unavailable', (backend) => {
  let product: Product;

  beforeAll(async () => {
    // The sweeper is slow, so that it does not hide other failures.
    product = await Product.start({ backend, isThere: false, instances: 0, env: { SWEEP_AFTER_MS: '3000' } });
  });

  // A single instance goes through all of it.
  afterEach(() => {
    product.reset();
  });
  afterAll(() => product.stop());

  /** Fails unless they are accepted soon: by the median, because a busy machine may be late with one. */
  const acceptedSoon = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    const durations: number[] = [];
    while (ids.length < count) {
      const begun = performance.now();
      ids.push(await product.accepted({ callbackUrl: product.callbacks.url() }));
      durations.push(performance.now() - begun);
    }
    const sorted = durations.sort((a, b) => a - b);
    expect(sorted[Math.floor(count / 2)]).toBeLessThan(ACCEPTED_MS);
    return ids;
  };

  /** Checks that each check has the right result and one callback. */
  const expectAnsweredOnce = async (ids: string[]): Promise<void> => {
    await product.untilDelivered(ids);
    for (const id of ids) {
      expect(await product.result(id)).toEqual(product.granted(id));
      expect(product.callbacks.of(id)).toHaveLength(1);
    }
    expect(await product.deliveriesOf(ids)).toHaveLength(ids.length);
  };

  it('T04: token-gating without its queue: token-gating starts, is alive but not ready, and becomes ready when the queue is available', async () => {
    const app = await product.spawnInstance();
    await until('live', async () => (await health(app, 'live').catch(() => 0)) === 200, READY_AGAIN_MS);
    await sleep(2_000);
    expect([await health(app, 'live'), await health(app, 'ready')]).toEqual([200, 503]);
    await product.queue.bringBack();
    await until('ready', () => product.isServing(app), READY_AGAIN_MS);
    await until('behind the gateway', async () => (await product.check()).status === 200);
    const ids = await product.calledBack(5);
    await expectAnsweredOnce(ids);
    expect(app.process.exitCode).toBeNull();
  });

  it('T05: token-gating without its queue: a check is accepted at once, and run once when the queue is available', async () => {
    const app = await product.someInstance();
    const before = await product.calledBack(5);
    await expectAnsweredOnce(before);
    await product.queue.takeAway();
    const during = await acceptedSoon(5);
    const rows = await product.sql(
      'SELECT id FROM token_gating.checks WHERE id = ANY($1) AND result IS NULL',
      [during],
    );
    expect(rows).toHaveLength(during.length);
    expect([await health(app, 'live'), app.process.exitCode]).toEqual([200, null]);
    await product.queue.bringBack();
    await until('ready', () => product.isServing(app), READY_AGAIN_MS);
    await expectAnsweredOnce(during);
  });

  it('T06: token-gating without its queue: no accepted check is lost or run twice when the queue freezes and recovers', async () => {
    const app = await product.someInstance();
    product.node.hold();
    const before = await product.calledBack(10);
    await until('a check is in progress', () => product.node.heldBack > 0);
    product.queue.freeze();
    product.node.release();
    const during = await product.calledBack(10);
    await sleep(6_000); // much longer than a lock lasts here
    expect(await health(app, 'live')).toBe(200);
    await product.queue.unfreeze();
    await until('ready', () => product.isServing(app), READY_AGAIN_MS);
    await expectAnsweredOnce([...before, ...during]);
  });

  it('T07: token-gating without its queue: every accepted check is answered when the queue is killed and restarted, without an app restart', async () => {
    const apps = [await product.someInstance(), await product.addInstance()];
    product.node.hold();
    const before = await product.calledBack(20);
    await until('a check is in progress', () => product.node.heldBack > 0);
    await sleep(1_100); // what was acknowledged is on the disk by now: appendfsync everysec
    await product.queue.takeAway();
    const during = await product.calledBack(10);
    product.node.release();
    await sleep(500);
    await product.queue.bringBack();
    for (const app of apps) await until('ready', () => product.isServing(app), READY_AGAIN_MS);
    const after = await product.calledBack(10);
    await expectAnsweredOnce([...before, ...during, ...after]);
    expect(apps.map(({ process }) => process.exitCode)).toEqual([null, null]);
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
  });
});
