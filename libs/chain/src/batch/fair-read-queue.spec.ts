import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReadGroup, type PendingRead, FairReadQueue, toTenant } from './fair-read-queue.js';

/** Adds a group of reads with these keys. */
function addGroup(queue: FairReadQueue<string>, keys: readonly string[], tenantId?: string): ReadGroup {
  const group = new ReadGroup(keys.length, tenantId);
  keys.forEach((key, index) => {
    queue.add({ call: key, key, block: undefined, waiter: { group, index, next: undefined } });
  });
  return group;
}

const createKeys = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
const acceptAll = (): boolean => true;
const getKeys = (reads: readonly PendingRead<string>[]): string[] => reads.map(({ key }) => key);

describe('FairReadQueue', () => {
  it('takes round-robin: a read added after a large group is in the next batch', () => {
    const queue = new FairReadQueue<string>();
    addGroup(queue, createKeys('large', 20_000));
    expect(queue.take(500, acceptAll)).toHaveLength(500);
    addGroup(queue, ['single']);
    expect(getKeys(queue.take(500, acceptAll))).toContain('single');
    expect(queue.size).toBe(19_001);
  });

  it('FairReadQueue: takes round-robin also for a call that is already queued far behind', () => {
    const queue = new FairReadQueue<string>();
    const large = addGroup(queue, createKeys('large', 2_000));
    addGroup(queue, ['large1999']);
    const batch = queue.take(100, acceptAll);
    expect(getKeys(batch)).toContain('large1999');
    const groups = [];
    for (let w = batch.find(({ key }) => key === 'large1999')?.waiter; w; w = w.next) groups.push(w.group);
    expect(groups).toHaveLength(2);
    expect(groups).toContain(large);
  });

  it('FairReadQueue: takes round-robin by tenant for lanes of single reads', () => {
    const queue = new FairReadQueue<string>(toTenant);
    for (let index = 0; index < 100; index += 1) addGroup(queue, createKeys(`a${index}-`, 2), 'a');
    addGroup(queue, ['b0', 'b1'], 'b');
    addGroup(queue, ['none']);
    const order = Array.from({ length: 7 }, () => getKeys(queue.take(1, acceptAll))[0]);
    expect(order).toEqual(['a0-0', 'b0', 'none', 'a0-1', 'b1', 'a1-0', 'a1-1']);
    expect(queue.size).toBe(196);
    expect(queue.waiterCount).toBe(196);
  });

  it('FairReadQueue: takes a call once for two groups of a tenant', () => {
    const queue = new FairReadQueue<string>(toTenant);
    addGroup(queue, ['same', 'other'], 'a');
    addGroup(queue, ['same'], 'a');
    const batches = Array.from({ length: 3 }, () => getKeys(queue.take(1, acceptAll)));
    expect(batches).toEqual([['same'], ['other'], []]);
    expect(queue.waiterCount).toBe(0);
  });

  it('FairReadQueue: never splits a small group', () => {
    const queue = new FairReadQueue<string>();
    for (let i = 0; i < 64; i += 1) addGroup(queue, createKeys(`group${i}-`, 10));
    const batch = getKeys(queue.take(500, acceptAll));
    expect(new Set(batch.map((key) => key.split('-')[0])).size).toBe(50);
  });

  it('FairReadQueue: fills a batch although some reads are rejected', () => {
    const queue = new FairReadQueue<string>();
    addGroup(queue, createKeys('gone', 1_000));
    addGroup(queue, createKeys('there', 1_000));
    const batch = queue.take(100, ({ key }) => key.startsWith('there'));
    expect(batch).toHaveLength(100);
  });

  it('FairReadQueue: counts every waiter until its read is taken', () => {
    const queue = new FairReadQueue<string>();
    addGroup(queue, [...createKeys('read', 30), ...createKeys('read', 30)]);
    addGroup(queue, createKeys('read', 10));
    expect([queue.size, queue.waiterCount]).toEqual([30, 70]);
    expect(queue.take(20, acceptAll)).toHaveLength(20);
    queue.take(20, acceptAll);
    expect([queue.size, queue.waiterCount]).toEqual([0, 0]);
  });

  it('FairReadQueue: leaves no trace of reads that move to another queue', () => {
    const names = fc.array(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 60 });
    const maxCount = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), maxCount, maxCount, (wanted, first, second) => {
        const source = new FairReadQueue<string>();
        const target = new FairReadQueue<string>();
        const groups = wanted.map((keys) => addGroup(source, keys));
        const drain = (
          queue: FairReadQueue<string>,
          maxCount: number,
          accept: (read: PendingRead<string>) => boolean,
        ): void => {
          for (let turns = 0; queue.size > 0; turns += 1) {
            expect(turns).toBeLessThan(1_000);
            for (const { waiter } of queue.take(maxCount, accept))
              for (let w: PendingRead<string>['waiter'] | undefined = waiter; w; w = w.next)
                w.group.setResult(w.index, { kind: 'data', data: '' });
          }
          expect(queue.waiterCount).toBe(0);
        };
        drain(source, first, (read) => {
          if (Number(read.key) % 2 > 0) return true;
          target.add(read);
          return false;
        });
        drain(target, second, acceptAll);
        for (const { results, pendingCount } of groups) {
          expect(results).not.toContain(undefined);
          expect(pendingCount).toBe(0);
        }
      }),
    );
  });

  it('FairReadQueue: returns each read exactly once, in full batches while enough are queued', () => {
    const groups = fc.array(fc.array(fc.integer({ min: 0, max: 60 }).map(String), { maxLength: 40 }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(groups, groups, fc.integer({ min: 1, max: 50 }), (early, late, maxCount) => {
        const queue = new FairReadQueue<string>();
        const taken: string[] = [];
        const take = (): void => {
          const expected = Math.min(maxCount, queue.size);
          const batch = getKeys(queue.take(maxCount, acceptAll));
          expect(batch).toHaveLength(expected);
          taken.push(...batch);
        };
        for (const keys of early)
          addGroup(
            queue,
            keys.map((key) => `early${key}`),
          );
        take();
        for (const keys of late)
          addGroup(
            queue,
            keys.map((key) => `late${key}`),
          );
        while (queue.size > 0) take();
        expect(queue.take(maxCount, acceptAll)).toEqual([]);
        const wanted = new Set([
          ...early.flat().map((key) => `early${key}`),
          ...late.flat().map((key) => `late${key}`),
        ]);
        expect(taken.sort()).toEqual([...wanted].sort());
      }),
    );
  });
});
