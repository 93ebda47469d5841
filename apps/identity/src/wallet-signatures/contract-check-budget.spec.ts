import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractCheckBudget } from './contract-check-budget.js';

describe('ContractCheckBudget', () => {
  let clock: number;

  beforeEach(() => {
    clock = 0;
  });

  const createBudget = (maxConcurrent: number, maxPerMinute: number) =>
    new ContractCheckBudget({ maxConcurrent, maxPerMinute }, () => clock);
  const tryAcquire = (budget: ContractCheckBudget): boolean => {
    if (budget.limitExceeded()) return false;
    budget.acquire();
    return true;
  };

  it('ContractCheckBudget: limits concurrent checks and allows another one after a release', () => {
    const budget = createBudget(2, 100);
    expect([tryAcquire(budget), tryAcquire(budget), tryAcquire(budget)]).toEqual([true, true, false]);
    expect(budget.limitExceeded()).toEqual({ limit: 'concurrent', retryAfter: 2 });
    budget.release();
    expect([tryAcquire(budget), tryAcquire(budget)]).toEqual([true, false]);
  });

  it('ContractCheckBudget: limits checks per minute and says when the next one may start', () => {
    const budget = createBudget(100, 6);
    for (let n = 0; n < 6; n += 1) expect(tryAcquire(budget)).toBe(true);
    expect(budget.limitExceeded()).toEqual({ limit: 'per_minute', retryAfter: 10 });
    clock = 9_000;
    expect(budget.limitExceeded()).toEqual({ limit: 'per_minute', retryAfter: 1 });
    clock = 10_000;
    expect([tryAcquire(budget), tryAcquire(budget)]).toEqual([true, false]);
  });

  /** Acquires as much as the limits allow. @returns how many checks were started */
  const acquireAll = (shared: ContractCheckBudget, consumer: ContractCheckBudget): number => {
    let acquired = 0;
    while (!consumer.limitExceeded() && !shared.limitExceededFor(consumer)) {
      consumer.acquire();
      shared.acquire();
      acquired += 1;
    }
    return acquired;
  };
  const acquireAllInTurn = (shared: ContractCheckBudget, consumers: readonly ContractCheckBudget[]) =>
    consumers.map((consumer) => acquireAll(shared, consumer));
  const times = (count: number, make: () => ContractCheckBudget) => Array.from({ length: count }, make);

  it('ContractCheckBudget: gives a consumer no more of a shared budget than it leaves to the others', () => {
    const concurrent = times(7, () => createBudget(8, 1_000));
    expect(acquireAllInTurn(createBudget(24, 10_000), concurrent)).toEqual([8, 8, 4, 2, 1, 1, 0]);
    const perMinute = times(8, () => createBudget(1_000, 600));
    expect(acquireAllInTurn(createBudget(10_000, 3_000), perMinute)).toEqual([
      600, 600, 600, 600, 300, 150, 75, 38,
    ]);
  });

  it('ContractCheckBudget: lets a new consumer start while anything is left, and says when a busy one may continue', () => {
    const size = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(size, size, fc.array(fc.nat(20_000), { maxLength: 60 }), (sharedSize, ownSize, pauses) => {
        clock = 0;
        const chain = createBudget(1_000, sharedSize);
        const busy = createBudget(1_000, ownSize);
        for (const pause of pauses) {
          clock += pause;
          acquireAll(chain, busy);
          const newcomer = createBudget(1_000, ownSize);
          if (!chain.limitExceeded() !== !chain.limitExceededFor(newcomer)) return false;
          const wait = chain.limitExceededFor(busy);
          clock += (wait?.retryAfter ?? 0) * 1_000;
          if (chain.limitExceededFor(busy)) return false;
        }
        return true;
      }),
    );
  });

  it('ContractCheckBudget: starts at most twice the limit in any minute, and never starves', () => {
    const steps = fc.array(fc.nat(5_000), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (perMinute, pauses) => {
        clock = 0;
        const budget = createBudget(1_000, perMinute);
        const startedAt: number[] = [];
        for (const pause of pauses) {
          clock += pause;
          const exceeded = budget.limitExceeded();
          if (exceeded) {
            clock += exceeded.retryAfter * 1_000;
            if (budget.limitExceeded()) return false;
          }
          budget.acquire();
          startedAt.push(clock);
        }
        const inMinuteFrom = (start: number) =>
          startedAt.filter((at) => at >= start && at < start + 60_000).length;
        return startedAt.every((start) => inMinuteFrom(start) <= 2 * perMinute);
      }),
    );
  });
});
