import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DEFAULT_RETRY,
  isIdempotent,
  parseRetryAfter,
  planRetry,
  sleep,
} from '../../clients/typescript/src/retry.js';

const NOW = Date.UTC(2026, 10, 28, 12);

it('parseRetryAfter: reads any number of seconds', () => {
  fc.assert(
    fc.property(fc.nat(), (seconds) => {
      expect(parseRetryAfter(` ${String(seconds)} `, NOW)).toBe(seconds * 1_000);
    }),
  );
});

it('parseRetryAfter: reads any date of HTTP, and gives 0 for those that are past', () => {
  const inSeconds = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
  fc.assert(
    fc.property(inSeconds, (seconds) => {
      const date = new Date(NOW + seconds * 1_000).toUTCString();
      expect(parseRetryAfter(date, NOW)).toBe(Math.max(0, seconds * 1_000));
    }),
  );
});

it('parseRetryAfter: ignores what is neither seconds nor a date, whatever it is', () => {
  const odd = [null, '', '-1', '1.5', '1e3', '2026-11-28', 'soon', 'Sat, 99 Nov 2026 12:00:00 GMT', '0x10'];
  expect(odd.map((value) => parseRetryAfter(value, NOW))).toEqual(odd.map(() => undefined));
  fc.assert(
    fc.property(fc.string(), (text) => {
      const waited = parseRetryAfter(text, NOW);
      expect(waited === undefined || (waited >= 0 && !Number.isNaN(waited))).toBe(true);
    }),
  );
});

it('T400: planRetry: sends a request that may have had its effect again only if that is safe', () => {
  const statuses = fc.constantFrom(undefined, 400, 401, 403, 404, 409, 429, 500, 502, 503, 504);
  fc.assert(
    fc.property(statuses, fc.boolean(), fc.integer({ min: 1, max: 10 }), (status, isRepeatable, failed) => {
      const plan = planRetry({ status, retryAfterMs: undefined, isRepeatable }, failed, DEFAULT_RETRY);
      const wasNotCarriedOut = status === 429;
      const isAmbiguous = status === undefined || [502, 503, 504].includes(status);
      const isExpected =
        failed < DEFAULT_RETRY.attempts && (wasNotCarriedOut || (isRepeatable && isAmbiguous));
      expect(plan !== undefined).toBe(isExpected);
    }),
  );
  expect(['GET', 'PUT', 'DELETE', 'POST', 'PATCH'].map(isIdempotent)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it('planRetry: waits as long as Retry-After says, never longer than its maximum, and not at all for a longer one', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat(60_000), random, fc.integer({ min: 1, max: 3 }), (retryAfterMs, chance, failed) => {
      const failure = { status: 503, retryAfterMs, isRepeatable: true };
      const plan = planRetry(failure, failed, DEFAULT_RETRY, () => chance);
      if (retryAfterMs > DEFAULT_RETRY.maxDelayMs) expect(plan).toBeUndefined();
      else {
        expect(plan).toBeGreaterThanOrEqual(retryAfterMs);
        expect(plan).toBeLessThanOrEqual(DEFAULT_RETRY.maxDelayMs);
      }
    }),
  );
});

it('planRetry: doubles its wait with a jitter of half of it, up to its maximum', () => {
  const policy = { attempts: 100, baseDelayMs: 100, maxDelayMs: 1_000 };
  const failure = { status: undefined, retryAfterMs: undefined, isRepeatable: true };
  const waits = [1, 2, 3, 4, 5, 50].map((failed) => [
    planRetry(failure, failed, policy, () => 0),
    planRetry(failure, failed, policy, () => 1),
  ]);
  expect(waits).toEqual([
    [50, 100],
    [100, 200],
    [200, 400],
    [400, 800],
    [500, 1_000],
    [500, 1_000],
  ]);
});

it('sleep: ends with the reason of a signal, before and while it waits', async () => {
  const reason = new Error('enough');
  await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});
