import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReadGroup } from './read-group.js';
import { type PendingRead, FairReadQueue } from './fair-read-queue.js';

const to = '0x00000000000000000000000000000000000000a1';

/** A group that waits for the calls of these names. */
function ask(waiting: FairReadQueue, keys: readonly string[]): ReadGroup {
  const group = new ReadGroup(keys.length);
  keys.forEach((key, index) => {
    waiting.add({ call: { to, data: key }, key, waiter: { group, index, next: undefined } });
  });
  return group;
}

const many = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
const all = (): boolean => true;
const keysOf = (questions: readonly PendingRead[]): string[] => questions.map(({ key }) => key);

describe('reads that wait', () => {
  it('take turns: who comes after a large group is in the next chunk', () => {
    const waiting = new FairReadQueue();
    ask(waiting, many('large', 20_000));
    expect(waiting.take(500, all)).toHaveLength(500);
    ask(waiting, ['single']);
    expect(keysOf(waiting.take(500, all))).toContain('single');
    expect(waiting.size).toBe(19_001);
  });

  it('take turns also when what a newcomer asks for waits already, far behind', () => {
    const waiting = new FairReadQueue();
    const large = ask(waiting, many('large', 2_000));
    ask(waiting, ['large1999']);
    const chunk = waiting.take(100, all);
    expect(keysOf(chunk)).toContain('large1999');
    const groups = [];
    for (let w = chunk.find(({ key }) => key === 'large1999')?.waiter; w; w = w.next) groups.push(w.group);
    expect(groups).toHaveLength(2);
    expect(groups).toContain(large);
  });

  it('stay together where a group is small', () => {
    const waiting = new FairReadQueue();
    for (let i = 0; i < 64; i += 1) ask(waiting, many(`group${i}-`, 10));
    const chunk = keysOf(waiting.take(500, all));
    expect(new Set(chunk.map((key) => key.split('-')[0])).size).toBe(50);
  });

  it('skip what is not accepted, without a chunk becoming smaller for it', () => {
    const waiting = new FairReadQueue();
    ask(waiting, many('gone', 1_000));
    ask(waiting, many('there', 1_000));
    const chunk = waiting.take(100, ({ key }) => key.startsWith('there'));
    expect(chunk).toHaveLength(100);
  });

  it('are counted as often as somebody waits for them, until their turn', () => {
    const waiting = new FairReadQueue();
    ask(waiting, [...many('read', 30), ...many('read', 30)]);
    ask(waiting, many('read', 10));
    expect([waiting.size, waiting.waiterCount]).toEqual([30, 70]);
    expect(waiting.take(20, all)).toHaveLength(20);
    waiting.take(20, all);
    expect([waiting.size, waiting.waiterCount]).toEqual([0, 0]);
  });

  it('go to another place without a trace, however many wait for them and however often', () => {
    const names = fc.array(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 60 });
    const room = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), room, room, (wanted, first, second) => {
        const from = new FairReadQueue();
        const into = new FairReadQueue();
        const groups = wanted.map((keys) => ask(from, keys));
        const drain = (
          waiting: FairReadQueue,
          room: number,
          accept: (question: PendingRead) => boolean,
        ): void => {
          for (let turns = 0; waiting.size > 0; turns += 1) {
            expect(turns).toBeLessThan(1_000);
            for (const { waiter } of waiting.take(room, accept))
              for (let w: PendingRead['waiter'] | undefined = waiter; w; w = w.next)
                w.group.setResult(w.index, { kind: 'data', data: '' });
          }
          expect(waiting.waiterCount).toBe(0);
        };
        drain(from, first, (question) => {
          if (Number(question.key) % 2 > 0) return true;
          into.add(question);
          return false;
        });
        drain(into, second, all);
        for (const { results, pendingCount } of groups) {
          expect(results).not.toContain(undefined);
          expect(pendingCount).toBe(0);
        }
      }),
    );
  });

  it('leave each exactly once, in chunks that are full as long as enough wait', () => {
    const groups = fc.array(fc.array(fc.integer({ min: 0, max: 60 }).map(String), { maxLength: 40 }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(groups, groups, fc.integer({ min: 1, max: 50 }), (early, late, room) => {
        const waiting = new FairReadQueue();
        const taken: string[] = [];
        const take = (): void => {
          const expected = Math.min(room, waiting.size);
          const chunk = keysOf(waiting.take(room, all));
          expect(chunk).toHaveLength(expected);
          taken.push(...chunk);
        };
        for (const keys of early)
          ask(
            waiting,
            keys.map((key) => `early${key}`),
          );
        take();
        for (const keys of late)
          ask(
            waiting,
            keys.map((key) => `late${key}`),
          );
        while (waiting.size > 0) take();
        expect(waiting.take(room, all)).toEqual([]);
        const wanted = new Set([
          ...early.flat().map((key) => `early${key}`),
          ...late.flat().map((key) => `late${key}`),
        ]);
        expect(taken.sort()).toEqual([...wanted].sort());
      }),
    );
  });
});
