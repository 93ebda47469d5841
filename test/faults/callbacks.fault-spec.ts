import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isAuthentic, type SeenCallback } from '../support/callback-log.js';
import { until } from '../support/until.js';
import { Product } from './product.js';

/**
 * Delays above a second, so that each attempt has a distinct timestamp; too different for one pause to pass as another.
 */
const SCHEDULE = [1_500, 8_000, 1_500];
const JITTER = 0.2;
/** The time for a poll, a claim and an attempt, on a busy machine, which may stop a process for seconds. */
const DISPATCH_MS = 3_500;
/** The bound of docs/faults.md for an attempt. */
const ATTEMPT_MS = 10_000;

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

  it('T24, T28: callbacks: are retried on schedule with one id and a new signature per attempt, and delivered once', async () => {
    const failures = new Map<string, number>();
    product.callbacks.answer = ({ deliveryId }, response) => {
      const failed = failures.get(deliveryId) ?? 0;
      failures.set(deliveryId, failed + 1);
      response.writeHead(failed < SCHEDULE.length ? 500 : 200).end();
    };
    const requestIds = await Promise.all(Array.from({ length: 5 }, one));
    const keys = await product.publishedKeys();
    const attempts: SeenCallback[][] = [];
    for (const requestId of requestIds) {
      expect(await settled(requestId)).toMatchObject([{ state: 'delivered', attempts: 4 }]);
      const seen = product.callbacks.of(requestId);
      expect(seen).toHaveLength(4);
      const distinct = (name: string) => new Set(seen.map(({ headers }) => headers[name])).size;
      expect(distinct('webhook-id')).toBe(1);
      expect(distinct('webhook-timestamp')).toBe(4);
      expect(distinct('webhook-signature')).toBe(4);
      for (const callback of seen) expect(isAuthentic(callback, keys)).toBe(true);
      attempts.push(seen);
    }
    SCHEDULE.forEach((planned, index) => {
      const sorted = attempts.map((seen) => pauses(seen)[index] ?? 0).sort((a, b) => a - b);
      expect(sorted[0]).toBeGreaterThanOrEqual(planned * (1 - JITTER) - 50);
      // The median, because a single attempt may be late on a busy machine.
      expect(sorted[2]).toBeLessThanOrEqual(planned * (1 + JITTER) + DISPATCH_MS);
    });
    await sleep(500);
    expect(product.callbacks.seen).toHaveLength(5 * 4);
  });

  it('T28: callbacks: verify unchanged and fail verification with one byte of id, timestamp or body changed', async () => {
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

  it('T26: callbacks: close the connection to a receiver that sleeps for a minute within ten seconds, and are retried', async () => {
    let isFirst = true;
    let hungUpAfter = Infinity;
    let boundAfter = Infinity;
    product.callbacks.answer = ({ at }, response) => {
      const answer = (): void => void response.writeHead(204).end();
      if (!isFirst) {
        answer();
        return;
      }
      isFirst = false;
      const timer = setTimeout(answer, 60_000);
      // The same time measured here: a busy machine may be late with both.
      setTimeout(() => (boundAfter = Date.now() - at), ATTEMPT_MS);
      response.on('close', () => {
        clearTimeout(timer);
        hungUpAfter = Date.now() - at;
      });
    };
    const requestId = await one();
    expect(await settled(requestId)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    await until('ten seconds have passed', () => boundAfter < Infinity, 20_000);
    expect(hungUpAfter).toBeLessThanOrEqual(boundAfter + DISPATCH_MS);
    const seen = product.callbacks.of(requestId);
    expect(new Set(seen.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    const [attempt] = await product.sql<{ status: number | null; failure: string }>(
      `SELECT a.status, a.failure FROM token_gating.delivery_attempts AS a
       JOIN token_gating.deliveries AS d ON d.id = a.delivery_id WHERE d.check_id = $1 AND a.attempt = 1`,
      [requestId],
    );
    expect(attempt).toMatchObject({ status: null, failure: expect.any(String) });
  });

  it('T27: callbacks: fail at once on 410 and honour Retry-After', async () => {
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
