import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Bulkhead, BulkheadFullError, type BulkheadOptions } from './bulkhead.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that the test ends, and that it names after its key. */
class Works {
  readonly running: string[] = [];
  readonly begun: string[] = [];
  private readonly ends = new Map<string, (() => void)[]>();
  readonly bulkhead: Bulkhead;

  constructor(options: BulkheadOptions) {
    this.bulkhead = new Bulkhead(options);
  }

  add(key: string): Promise<void> {
    return this.bulkhead.run(key, async () => {
      this.begun.push(key);
      this.running.push(key);
      await new Promise<void>((resolve) => this.ends.set(key, [...(this.ends.get(key) ?? []), resolve]));
      this.running.splice(this.running.indexOf(key), 1);
    });
  }

  async end(key: string): Promise<void> {
    this.ends.get(key)?.shift()?.();
    await settle();
  }
}

describe('Bulkhead', () => {
  it('Bulkhead: runs so much of a key at once, and lets more of it wait in order', async () => {
    const works = new Works({ maxPerKey: 1, maxWaitingPerKey: 1 });
    const first = works.add('a');
    const second = works.add('a');
    void works.add('b');
    await expect(works.add('a')).rejects.toBeInstanceOf(BulkheadFullError);
    expect(works.begun).toEqual(['a', 'b']);
    await works.end('a');
    expect(works.begun).toEqual(['a', 'b', 'a']);
    await works.end('a');
    await Promise.all([first, second]);
    expect(works.bulkhead.countOf('a')).toBe(0);
  });

  it('Bulkhead: lets keys take turns when all places are taken', async () => {
    const works = new Works({ max: 2, maxWaitingPerKey: 10 });
    for (const key of ['a', 'a', 'a', 'a', 'b', 'c']) void works.add(key);
    for (const key of ['a', 'a', 'a', 'b']) await works.end(key);
    expect(works.begun).toEqual(['a', 'a', 'a', 'b', 'c', 'a']);
  });

  it('Bulkhead: gives a place to the key with the least use', async () => {
    const use = new Map([
      ['costly', 9],
      ['cheap', 1],
    ]);
    const works = new Works({ max: 1, maxWaitingPerKey: 1, useOf: (key) => use.get(key) ?? 5 });
    for (const key of ['first', 'costly', 'unknown', 'cheap']) void works.add(key);
    for (const key of ['first', 'cheap', 'unknown']) await works.end(key);
    expect(works.begun).toEqual(['first', 'cheap', 'unknown', 'costly']);
  });

  it('Bulkhead: gives a key as many places as it leaves to the others', () => {
    const bulkhead = new Bulkhead({ max: 16, maxPerKey: (free) => free });
    const counts = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => {
      while (bulkhead.hasRoom(key)) bulkhead.acquire(key);
      return bulkhead.countOf(key);
    });
    expect(counts).toEqual([8, 4, 2, 1, 1, 0]);
    expect([bulkhead.size, bulkhead.free]).toEqual([16, 0]);
  });

  it('Bulkhead: frees the place of work that fails', async () => {
    const bulkhead = new Bulkhead({ max: 1, createFullError: () => new Error('full') });
    await expect(bulkhead.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const running = bulkhead.run('a', settle);
    await expect(bulkhead.run('b', settle)).rejects.toThrow('full');
    await running;
  });

  it('Bulkhead: never exceeds its bounds, and leaves no place empty that waiting work may take', async () => {
    const keys = fc.constantFrom('a', 'b', 'c');
    const steps = fc.array(fc.record({ key: keys, isEnd: fc.boolean() }), { maxLength: 40 });
    const bounds = fc.record({
      max: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      maxPerKey: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(bounds, steps, async ({ max, maxPerKey }, all) => {
        const works = new Works({ max, maxPerKey, maxWaitingPerKey: 2 });
        const accepted = new Map<string, number>();
        const add = (key: string, change: number) => accepted.set(key, (accepted.get(key) ?? 0) + change);
        for (const { key, isEnd } of all) {
          if (isEnd && works.running.includes(key)) add(key, -1);
          if (isEnd) await works.end(key);
          else {
            add(key, 1);
            works.add(key).catch(() => add(key, -1));
            await settle();
          }
          const countOf = (name: string) => works.running.filter((running) => running === name).length;
          expect(works.running.length).toBeLessThanOrEqual(max ?? Infinity);
          for (const [name, count] of accepted) {
            expect(countOf(name)).toBeLessThanOrEqual(maxPerKey);
            const isWaiting = count > countOf(name);
            expect(isWaiting && works.bulkhead.hasRoom(name)).toBe(false);
          }
        }
      }),
    );
  });
});
