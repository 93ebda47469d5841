import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractCheckBudget } from './contract-check-budget.js';

describe('a share of checks', () => {
  let clock: number;

  beforeEach(() => {
    clock = 0;
  });

  const shareOf = (atOnce: number, perMinute: number) =>
    new ContractCheckBudget({ maxConcurrent: atOnce, maxPerMinute: perMinute }, () => clock);
  const take = (share: ContractCheckBudget): boolean => {
    if (share.limitExceeded()) return false;
    share.acquire();
    return true;
  };

  it('has so many under way at once, and room when one is done', () => {
    const share = shareOf(2, 100);
    expect([take(share), take(share), take(share)]).toEqual([true, true, false]);
    expect(share.limitExceeded()).toEqual({ limit: 'at_once', retryAfter: 2 });
    share.release();
    expect([take(share), take(share)]).toEqual([true, false]);
  });

  it('lets so many begin, and says when the next one may', () => {
    const share = shareOf(100, 6);
    for (let n = 0; n < 6; n += 1) expect(take(share)).toBe(true);
    expect(share.limitExceeded()).toEqual({ limit: 'a_minute', retryAfter: 10 });
    clock = 9_000;
    expect(share.limitExceeded()).toEqual({ limit: 'a_minute', retryAfter: 1 });
    clock = 10_000;
    expect([take(share), take(share)]).toEqual([true, false]);
  });

  /** As many as somebody can get who wants all there is. */
  const takeAll = (shared: ContractCheckBudget, own: ContractCheckBudget): number => {
    let taken = 0;
    while (!own.limitExceeded() && !shared.limitExceededFor(own)) {
      own.acquire();
      shared.acquire();
      taken += 1;
    }
    return taken;
  };
  const greedy = (shared: ContractCheckBudget, sizes: readonly ContractCheckBudget[]) =>
    sizes.map((own) => takeAll(shared, own));
  const times = (count: number, make: () => ContractCheckBudget) => Array.from({ length: count }, make);

  it('gives nobody more than is left for all others', () => {
    const atOnce = times(7, () => shareOf(8, 1_000));
    expect(greedy(shareOf(24, 10_000), atOnce)).toEqual([8, 8, 4, 2, 1, 1, 0]);
    const aMinute = times(8, () => shareOf(1_000, 600));
    expect(greedy(shareOf(10_000, 3_000), aMinute)).toEqual([600, 600, 600, 600, 300, 150, 75, 38]);
  });

  it('lets whoever has nothing begin while anything is left, and says when the next one may', () => {
    const size = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(size, size, fc.array(fc.nat(20_000), { maxLength: 60 }), (shared, own, pauses) => {
        clock = 0;
        const chain = shareOf(1_000, shared);
        const greedyOne = shareOf(1_000, own);
        for (const pause of pauses) {
          clock += pause;
          takeAll(chain, greedyOne);
          const newcomer = shareOf(1_000, own);
          if (!chain.limitExceeded() !== !chain.limitExceededFor(newcomer)) return false;
          const wait = chain.limitExceededFor(greedyOne);
          clock += (wait?.retryAfter ?? 0) * 1_000;
          if (chain.limitExceededFor(greedyOne)) return false;
        }
        return true;
      }),
    );
  });

  it('never lets more than two minutes’ worth begin in one, whatever the pauses, and never starves', () => {
    const steps = fc.array(fc.nat(5_000), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (perMinute, pauses) => {
        clock = 0;
        const share = shareOf(1_000, perMinute);
        const begun: number[] = [];
        for (const pause of pauses) {
          clock += pause;
          const room = share.limitExceeded();
          if (room) {
            clock += room.retryAfter * 1_000;
            if (share.limitExceeded()) return false;
          }
          share.acquire();
          begun.push(clock);
        }
        const inMinuteFrom = (start: number) =>
          begun.filter((at) => at >= start && at < start + 60_000).length;
        return begun.every((start) => inMinuteFrom(start) <= 2 * perMinute);
      }),
    );
  });
});
