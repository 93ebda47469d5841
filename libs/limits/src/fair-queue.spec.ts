import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const takeRest = <T>(queue: FairQueue<T>): T[] => {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

describe('FairQueue', () => {
  it('FairQueue: takes an item of each tenant in turn', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item);
    expect(takeRest(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('FairQueue: leaves out tenants that may not have a turn, and keeps their place', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), item);
    const isNotA = (tenant: string) => tenant !== 'a';
    expect([queue.take(isNotA), queue.take(isNotA)]).toEqual(['b1', undefined]);
    queue.add('b', 'b2');
    expect(takeRest(queue)).toEqual(['a1', 'b2', 'a2']);
  });

  it('FairQueue: takes all items of a tenant, and leaves the others', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'b1', 'a2']) queue.add(item.slice(0, 1), item);
    expect(queue.takeAll('a')).toEqual(['a1', 'a2']);
    expect(takeRest(queue)).toEqual(['b1']);
  });

  it('FairQueue: takes each item once, and those of a tenant in order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (tenants) => {
        const queue = new FairQueue<{ tenant: string; at: number }>();
        tenants.forEach((tenant, at) => {
          queue.add(tenant, { tenant, at });
        });
        const taken = takeRest(queue);
        expect(taken).toHaveLength(tenants.length);
        for (const name of ['a', 'b', 'c']) {
          const order = taken.filter(({ tenant }) => tenant === name).map(({ at }) => at);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
    );
  });
});
