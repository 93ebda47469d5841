import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CallResultCache } from './call-result-cache.js';
import { createReadFailure } from './read-result.js';
import { type CallResult } from './call-result.js';

const maxAgeMs = 100;
const keys = ['a', 'b', 'c'];
const word = (value: number): string => value.toString(16).padStart(64, '0');

const step = fc.record({
  passMs: fc.nat(60),
  /** How long its answer took. */
  tookMs: fc.nat(30),
  block: fc.bigInt(1n, 6n),
  key: fc.constantFrom(...keys),
  kind: fc.constantFrom('data', 'data', 'data', 'reverted', 'failed'),
});

function answerOf(kind: string, data: string, blockNumber: bigint): CallResult {
  if (kind === 'failed') return { kind: 'failed', failure: createReadFailure('unavailable', '') };
  return kind === 'reverted' ? { kind, blockNumber } : { kind: 'data', data, blockNumber };
}

describe('AnswerCache', () => {
  it('gives only return data, never older than its age, never of a block before the last that was kept', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new CallResultCache(maxAgeMs);
        const asked = new Map<string, { at: number; block: bigint }>();
        let now = 0;
        let lastKept = 0n;
        steps.forEach(({ passMs, tookMs, block, key, kind }, index) => {
          now += passMs + tookMs;
          const data = word(index);
          asked.set(data, { at: now - tookMs, block });
          cache.store([key], [answerOf(kind, data, block)], now - tookMs);
          const own = cache.get(key, now);
          if (own?.kind === 'data' && own.data === data) lastKept = block;
          for (const each of keys) {
            const kept = cache.get(each, now);
            if (!kept) continue;
            if (kept.kind !== 'data') throw new Error('kept what is no data');
            const origin = asked.get(kept.data);
            expect(now - (origin?.at ?? -Infinity)).toBeLessThan(maxAgeMs);
            expect(origin?.block).toBe(kept.blockNumber);
            expect(origin?.block).toBeGreaterThanOrEqual(lastKept);
          }
        });
      }),
    );
  });

  it('holds no more than it may', () => {
    const cache = new CallResultCache(maxAgeMs, 10);
    const names = Array.from({ length: 50 }, (_, i) => String(i));
    cache.store(
      names,
      names.map((_, i) => answerOf('data', word(i), 1n)),
      0,
    );
    expect(names.filter((name) => cache.get(name, 1))).toHaveLength(10);
  });

  it('does not keep what no read could decode', () => {
    const cache = new CallResultCache(maxAgeMs);
    cache.store(['long', 'none'], [answerOf('data', '0'.repeat(4_096), 1n), answerOf('data', '', 1n)], 0);
    expect([cache.get('long', 1), cache.get('none', 1)]).toEqual([undefined, undefined]);
  });
});
