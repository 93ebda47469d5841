import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CallResultCache } from './call-result-cache.js';
import { createReadFailure, type CallResult } from '../reads/read-result.js';

const maxAgeMs = 100;
const keys = ['a', 'b', 'c'];
const word = (value: number): string => value.toString(16).padStart(64, '0');

const step = fc.record({
  passMs: fc.nat(60),
  /** Time between request and response. */
  latencyMs: fc.nat(30),
  block: fc.bigInt(1n, 6n),
  key: fc.constantFrom(...keys),
  kind: fc.constantFrom('data', 'data', 'data', 'reverted', 'failed'),
});

function createResult(kind: string, data: string, blockNumber: bigint): CallResult {
  if (kind === 'failed') return { kind: 'failed', failure: createReadFailure('unavailable', '') };
  return kind === 'reverted' ? { kind, blockNumber } : { kind: 'data', data, blockNumber };
}

describe('CallResultCache', () => {
  it('CallResultCache: returns only data that has not expired and is not older than the last cached block', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new CallResultCache(maxAgeMs);
        const requests = new Map<string, { at: number; block: bigint }>();
        let now = 0;
        let lastCachedBlock = 0n;
        steps.forEach(({ passMs, latencyMs, block, key, kind }, index) => {
          now += passMs + latencyMs;
          const data = word(index);
          requests.set(data, { at: now - latencyMs, block });
          cache.store([key], [createResult(kind, data, block)], now - latencyMs);
          const own = cache.get(key, now);
          if (own?.kind === 'data' && own.data === data) lastCachedBlock = block;
          for (const name of keys) {
            const cached = cache.get(name, now);
            if (!cached) continue;
            if (cached.kind !== 'data') throw new Error('cached a result without data');
            const origin = requests.get(cached.data);
            expect(now - (origin?.at ?? -Infinity)).toBeLessThan(maxAgeMs);
            expect(origin?.block).toBe(cached.blockNumber);
            expect(origin?.block).toBeGreaterThanOrEqual(lastCachedBlock);
          }
        });
      }),
    );
  });

  it('CallResultCache: evicts entries beyond its limit', () => {
    const cache = new CallResultCache(maxAgeMs, 10);
    const names = Array.from({ length: 50 }, (_, i) => String(i));
    cache.store(
      names,
      names.map((_, i) => createResult('data', word(i), 1n)),
      0,
    );
    expect(names.filter((name) => cache.get(name, 1))).toHaveLength(10);
  });

  it('CallResultCache: does not cache data that no read can decode', () => {
    const cache = new CallResultCache(maxAgeMs);
    cache.store(
      ['long', 'none'],
      [createResult('data', '0'.repeat(4_096), 1n), createResult('data', '', 1n)],
      0,
    );
    expect([cache.get('long', 1), cache.get('none', 1)]).toEqual([undefined, undefined]);
  });
});
