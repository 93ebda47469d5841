import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BACKENDS } from '../support/queue-backend.js';
import { until } from '../support/until.js';
import { health, isReady, Product } from './product.js';

jest.setTimeout(150_000);

const READY_AGAIN_MS = 30_000;
/** What accepting may take while the queue is away: a bound that waiting for the queue would break. */
const ACCEPTED_MS = 2_000;

describe.each(BACKENDS)('while the queue on %s is away', (backend) => {
  let product: Product;

  beforeAll(async () => {
    // A row is taken for lost only when everything else had its time.
    product = await Product.start({ backend, isThere: false, instances: 0, env: { SWEEP_AFTER_MS: '3000' } });
  });

  afterEach(() => product.endInstances());
  afterAll(() => product.stop());

  const acceptedSoon = async (): Promise<string> => {
    const begun = performance.now();
    const id = await product.accepted({ callbackUrl: product.callbacks.url() });
    expect(performance.now() - begun).toBeLessThan(ACCEPTED_MS);
    return id;
  };

  /** Answered rightly, and called back once. */
  const expectAnsweredOnce = async (ids: string[]): Promise<void> => {
    await until('delivered', () => product.areDelivered(ids));
    for (const id of ids) {
      expect(await product.result(id)).toEqual(product.granted(id));
      expect(product.callbacks.of(id)).toHaveLength(1);
    }
    expect(await product.deliveriesOf(ids)).toHaveLength(ids.length);
  };

  it('T04: token-gating starts, stays up without being ready, and is ready when it appears', async () => {
    const app = await product.spawnInstance();
    await until('live', async () => (await health(app, 'live').catch(() => 0)) === 200, READY_AGAIN_MS);
    await sleep(2_000);
    expect([await health(app, 'live'), await health(app, 'ready')]).toEqual([200, 503]);
    await product.queue.bringBack();
    await until('ready', () => isReady(app), READY_AGAIN_MS);
    await until('behind the gateway', async () => (await product.check()).status === 200);
    const ids = await product.calledBack(5);
    await expectAnsweredOnce(ids);
    expect(app.process.exitCode).toBeNull();
    expect(await app.stop()).toBe(0);
  });

  it('T05: a check is accepted as a row at once, and run once when it is back', async () => {
    const app = await product.addInstance();
    const before = await product.calledBack(5);
    await expectAnsweredOnce(before);
    await product.queue.takeAway();
    const during: string[] = [];
    for (let count = 0; count < 5; count += 1) during.push(await acceptedSoon());
    const rows = await product.sql(
      'SELECT id FROM token_gating.checks WHERE id = ANY($1) AND result IS NULL',
      [during],
    );
    expect(rows).toHaveLength(during.length);
    expect([await health(app, 'live'), app.process.exitCode]).toEqual([200, null]);
    await product.queue.bringBack();
    await until('ready', () => isReady(app), READY_AGAIN_MS);
    await expectAnsweredOnce(during);
  });

  it('T06: frozen and thawed, no check that was accepted is lost or has two effects', async () => {
    const app = await product.addInstance();
    product.node.hold();
    const before = await product.calledBack(10);
    await until('in the middle of it', () => product.node.heldBack > 0);
    product.queue.freeze();
    product.node.release();
    const during = await product.calledBack(10);
    await sleep(6_000); // much longer than a lock lasts here
    expect(await health(app, 'live')).toBe(200);
    await product.queue.unfreeze();
    await until('ready', () => isReady(app), READY_AGAIN_MS);
    await expectAnsweredOnce([...before, ...during]);
  });

  it('T07: killed and started again, every accepted check is answered, without a restart of anybody', async () => {
    const apps = [await product.addInstance(), await product.addInstance()];
    product.node.hold();
    const before = await product.calledBack(20);
    await until('in the middle of it', () => product.node.heldBack > 0);
    await sleep(1_100); // what was acknowledged is on the disk by now: appendfsync everysec
    await product.queue.takeAway();
    const during = await product.calledBack(10);
    product.node.release();
    await sleep(500);
    await product.queue.bringBack();
    for (const app of apps) await until('ready', () => isReady(app), READY_AGAIN_MS);
    const after = await product.calledBack(10);
    await expectAnsweredOnce([...before, ...during, ...after]);
    expect(apps.map(({ process }) => process.exitCode)).toEqual([null, null]);
  });
});
