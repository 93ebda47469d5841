import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isAuthentic, type SeenCallback } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { Product } from './product.js';

jest.setTimeout(120_000);

/** Whole seconds, so that each attempt has a distinct timestamp. */
const SCHEDULE = [1_500, 2_000, 2_500];

describe('callbacks', () => {
  let product: Product;

  beforeAll(async () => {
    product = await Product.start({ env: { CALLBACK_RETRY_AFTER_MS: SCHEDULE.join(',') } });
  });

  afterAll(() => product.stop());

  beforeEach(() => {
    product.callbacks.acceptAll();
    product.callbacks.seen.length = 0;
  });

  const one = async (): Promise<string> => product.accepted({ callbackUrl: product.callbacks.url() });

  const settled = async (requestId: string) => {
    await until('settled', async () => {
      const rows = await product.deliveriesOf([requestId]);
      return rows.length > 0 && rows.every(({ state }) => state !== 'pending');
    });
    return product.deliveriesOf([requestId]);
  };

  const pauses = (seen: SeenCallback[]): number[] =>
    seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0));

  it('T24, T28: are retried on schedule with one id and a new signature per attempt, and delivered once', async () => {
    let failures = 3;
    product.callbacks.answer = (_, response) => response.writeHead(failures-- > 0 ? 500 : 200).end();
    const requestId = await one();
    expect(await settled(requestId)).toMatchObject([{ state: 'delivered', attempts: 4 }]);
    const seen = product.callbacks.of(requestId);
    expect(seen).toHaveLength(4);
    pauses(seen).forEach((pause, index) => {
      expect(pause).toBeGreaterThanOrEqual((SCHEDULE[index] ?? 0) * 0.8 - 50);
    });
    const distinct = (name: string) => new Set(seen.map(({ headers }) => headers[name])).size;
    expect(distinct('webhook-id')).toBe(1);
    expect(distinct('webhook-timestamp')).toBe(4);
    expect(distinct('webhook-signature')).toBe(4);
    const keys = await product.publishedKeys();
    for (const callback of seen) expect(isAuthentic(callback, keys)).toBe(true);
    await sleep(500);
    expect(product.callbacks.of(requestId)).toHaveLength(4);
  });

  it('T28: verify unchanged and fail verification with one byte of id, timestamp or body changed', async () => {
    const requestId = await one();
    await settled(requestId);
    const [callback] = product.callbacks.of(requestId);
    if (!callback) throw new Error('no callback');
    const keys = await product.publishedKeys();
    expect(isAuthentic(callback, keys)).toBe(true);
    const { headers, body } = callback;
    for (let at = 0; at < body.length; at += 1) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(isAuthentic({ headers, body: changed }, keys)).toBe(false);
    }
    for (const name of ['webhook-id', 'webhook-timestamp']) {
      const value = String(headers[name]);
      for (let at = 0; at < value.length; at += 1) {
        const other = value[at] === '1' ? '2' : '1';
        const changed = { ...headers, [name]: value.slice(0, at) + other + value.slice(at + 1) };
        expect(isAuthentic({ headers: changed, body }, keys)).toBe(false);
      }
    }
    expect(isAuthentic(callback, { keys: [] })).toBe(false);
  });

  it.each([301, 302, 307, 308])('T25: follow no redirect: %i is retried', async (status) => {
    let isFirst = true;
    product.callbacks.answer = (_, response) => {
      response.writeHead(isFirst ? status : 200, { location: product.callbacks.url('/elsewhere') }).end();
      isFirst = false;
    };
    const requestId = await one();
    expect(await settled(requestId)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(product.callbacks.of(requestId).map(({ path }) => path)).toEqual(['/hook', '/hook']);
  });

  it('T26: time out on a receiver that sleeps for a minute, and are retried', async () => {
    let isFirst = true;
    let hungUpAfter = Infinity;
    product.callbacks.answer = ({ at }, response) => {
      const answer = (): void => void response.writeHead(204).end();
      if (!isFirst) {
        answer();
        return;
      }
      isFirst = false;
      const timer = setTimeout(answer, 60_000);
      response.on('close', () => {
        clearTimeout(timer);
        hungUpAfter = Date.now() - at;
      });
    };
    const requestId = await one();
    expect(await settled(requestId)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(hungUpAfter).toBeLessThan(20_000);
    const seen = product.callbacks.of(requestId);
    expect(new Set(seen.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    const [attempt] = await product.sql<{ status: number | null; failure: string }>(
      `SELECT a.status, a.failure FROM token_gating.delivery_attempts AS a
       JOIN token_gating.deliveries AS d ON d.id = a.delivery_id WHERE d.check_id = $1 AND a.attempt = 1`,
      [requestId],
    );
    expect(attempt).toMatchObject({ status: null, failure: expect.any(String) });
  });

  it('T27: fail at once on 410 and honour Retry-After', async () => {
    product.callbacks.answer = (_, response) => response.writeHead(410).end();
    const gone = await one();
    expect(await settled(gone)).toMatchObject([{ state: 'failed', attempts: 1 }]);
    let isFirst = true;
    product.callbacks.answer = (_, response) => {
      response.writeHead(isFirst ? 429 : 200, { 'retry-after': '5' }).end();
      isFirst = false;
    };
    const busy = await one();
    expect(await settled(busy)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(pauses(product.callbacks.of(busy))[0]).toBeGreaterThanOrEqual(5_000);
    expect(product.callbacks.of(gone)).toHaveLength(1);
  });
});
