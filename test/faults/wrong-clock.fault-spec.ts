import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isAuthentic } from '../support/callback-log.js';
import { clockOf } from '../support/faketime.js';
import { until } from '../support/until.js';
import { Product } from './product.js';
import { describeWithFaketime } from '../support/needs.js';

const TEN_MINUTES_MS = 600_000;

describeWithFaketime('an instance whose clock runs ten minutes fast', () => {
  let folder: string;
  let product: Product;
  let clock: ReturnType<typeof clockOf>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-clock-'));
    clock = clockOf(join(folder, 'clock'));
    const CALLBACK_RETRY_AFTER_MS = Array.from({ length: 20 }, () => 1_000).join(',');
    product = await Product.start({ instances: 0, env: { CALLBACK_RETRY_AFTER_MS } });
  });

  afterAll(async () => {
    await product.stop();
    await rm(folder, { recursive: true });
  });

  it('T30: instance whose clock runs ten minutes fast: sends callbacks that fail verification, and the same delivery verifies when its clock is right', async () => {
    await clock.turn('+0s');
    await product.addInstance(clock.env);
    const keys = await product.publishedKeys();
    const believed: boolean[] = [];
    product.callbacks.answer = (callback, response) => {
      believed.push(isAuthentic(callback, keys));
      response.writeHead(believed.at(-1) ? 204 : 401).end();
    };
    // The callback alone is affected: with that clock the instance would reject the gateway's requests.
    product.node.hold();
    const requestId = await product.accepted({ callbackUrl: product.callbacks.url() });
    await until('a check is in progress', () => product.node.heldBack > 0);
    await clock.turn('+600s');
    product.node.release();
    await until('refused', () => believed.length >= 2);
    expect(believed).not.toContain(true);
    const [early] = product.callbacks.of(requestId);
    if (!early) throw new Error('no callback');
    // The signature is valid for the callback's timestamp.
    expect(Number(early.headers['webhook-timestamp']) * 1_000).toBeGreaterThan(early.at + 300_000);
    expect(isAuthentic(early, keys, early.at + TEN_MINUTES_MS)).toBe(true);
    await clock.turn('+0s');
    await product.untilDelivered([requestId]);
    expect(believed.at(-1)).toBe(true);
    const seen = product.callbacks.of(requestId);
    expect(new Set(seen.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect(await product.deliveriesOf([requestId])).toHaveLength(1);
  });
});
