import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Receivers } from './receivers.js';

const SLOTS = 3;
const origins = ['https://a.example', 'https://b.example'];

/** What happens to receivers: something wants to be sent to one, an attempt at one ends, or time passes. */
const steps = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('offer' as const), origin: fc.constantFrom(...origins) }),
    fc.record({
      what: fc.constant('end' as const),
      origin: fc.constantFrom(...origins),
      tookMs: fc.integer({ min: 1, max: 10_000 }),
      answered: fc.boolean(),
    }),
    fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 15_000 }) }),
  ),
  { maxLength: 300 },
);

describe('Receivers', () => {
  it('never has more under way than there are slots, and loses nothing', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let now = 1_000;
        let offered = 0;
        let left = 0; // ended, or put back
        const underWay = new Map(origins.map((origin) => [origin, 0]));
        const count = (origin: string, by: number) => {
          const most = (underWay.get(origin) ?? 0) + by;
          expect(most).toBeLessThanOrEqual(SLOTS);
          underWay.set(origin, most);
        };
        const receivers = new Receivers<number>(SLOTS, () => now);
        for (const step of all) {
          if (step.what === 'pass') now += step.ms;
          if (step.what === 'offer') {
            offered += 1;
            const turn = receivers.offer(step.origin, offered);
            if (turn === 'now') count(step.origin, 1);
            else if (turn !== 'waits') {
              expect(turn.backInMs).toBeGreaterThanOrEqual(250);
              left += 1;
            }
          }
          if (step.what === 'end' && (underWay.get(step.origin) ?? 0) > 0) {
            count(step.origin, -1);
            const { next, putBack } = receivers.free(step.origin, step);
            left += 1 + putBack.length;
            if (next !== undefined) count(step.origin, 1);
          }
          const busy = [...underWay.values()].reduce((sum, one) => sum + one, 0);
          expect(busy + receivers.waiting + left).toBe(offered);
        }
      }),
    );
  });

  it('tries a receiver that is silent once at a time, until it answers', () => {
    const receivers = new Receivers<string>(SLOTS);
    const [origin = ''] = origins;
    for (const name of ['1', '2', '3']) expect(receivers.offer(origin, name)).toBe('now');
    expect(receivers.offer(origin, '4')).toBe('waits');
    const silent = receivers.free(origin, { tookMs: 10_000, answered: false });
    expect(silent).toEqual({ next: undefined, putBack: [{ delivery: '4', backInMs: expect.any(Number) }] });
    for (const tookMs of [10_000, 10_000]) receivers.free(origin, { tookMs, answered: false });
    expect(receivers.offer(origin, '5')).toBe('now');
    expect(receivers.offer(origin, '6')).toHaveProperty('backInMs');
    receivers.free(origin, { tookMs: 5, answered: true });
    for (const name of ['6', '7', '8']) expect(receivers.offer(origin, name)).toBe('now');
  });

  it('spaces turns as a receiver answers, and has nobody wait for a slow one', () => {
    let now = 0;
    const receivers = new Receivers<string>(SLOTS, () => now);
    const [origin = ''] = origins;
    for (const name of ['1', '2', '3']) receivers.offer(origin, name);
    now += 3_000;
    const turns = ['4', '5', '6'].map((name) => receivers.offer(origin, name));
    expect(turns).toEqual([{ backInMs: 1_250 }, { backInMs: 2_250 }, { backInMs: 3_250 }]);
  });
});
