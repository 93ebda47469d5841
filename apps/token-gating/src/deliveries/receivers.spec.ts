import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Receivers, type Slot, type Turn } from './receivers.js';

const SLOTS = 3;
const origin = 'https://a.example';
const origins = [origin, 'https://b.example'];

/** What happens to receivers: something wants to be sent to one, an attempt at one ends, or time passes. */
const steps = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('offer' as const), origin: fc.constantFrom(...origins) }),
    fc.record({
      what: fc.constant('end' as const),
      origin: fc.constantFrom(...origins),
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
        const underWay: Slot[] = [];
        const receivers = new Receivers<number>({ slots: SLOTS, untrusted: 4, now: () => now });
        for (const step of all) {
          if (step.what === 'pass') now += step.ms;
          if (step.what === 'offer') {
            offered += 1;
            const turn = receivers.offer(step.origin, offered);
            if (turn === 'waits') continue;
            if ('slot' in turn) underWay.push(turn.slot);
            else {
              expect(turn.backInMs).toBeGreaterThanOrEqual(250);
              left += 1;
            }
          }
          const at = step.what === 'end' ? underWay.findIndex(({ origin }) => origin === step.origin) : -1;
          if (step.what === 'end' && at !== -1) {
            const [slot] = underWay.splice(at, 1);
            if (!slot) continue;
            const { next, putBack } = receivers.free(slot, step.answered);
            left += 1 + putBack.length;
            if (next) underWay.push(next.slot);
          }
          for (const origin of origins)
            expect(underWay.filter((slot) => slot.origin === origin).length).toBeLessThanOrEqual(SLOTS);
          expect(underWay.filter(({ isTrusted }) => !isTrusted).length).toBeLessThanOrEqual(4);
          expect(underWay.length + receivers.waiting + left).toBe(offered);
        }
      }),
    );
  });

  const slotOf = (turn: Turn): Slot => {
    if (turn === 'waits' || !('slot' in turn)) throw new Error('no slot');
    return turn.slot;
  };

  it('gives a stranger little, one that answers all, and one that is silent one attempt at a time', () => {
    const receivers = new Receivers<string>({ slots: SLOTS, untrusted: 100 });
    const first = slotOf(receivers.offer(origin, '1'));
    const second = slotOf(receivers.offer(origin, '2'));
    expect(receivers.offer(origin, '3')).toBe('waits');
    const { next } = receivers.free(first, true);
    expect(next?.delivery).toBe('3');
    const fourth = slotOf(receivers.offer(origin, '4'));
    expect(receivers.offer(origin, '5')).toBe('waits');
    expect(receivers.free(fourth, undefined).next?.delivery).toBe('5');
    // The one that hangs began before others were answered: it says nothing of them.
    receivers.free(second, false);
    slotOf(receivers.offer(origin, '6'));
  });

  it('tries a silent receiver once at a time, until it answers', () => {
    let now = 0;
    const receivers = new Receivers<string>({ slots: SLOTS, untrusted: 100, now: () => now });
    const first = slotOf(receivers.offer(origin, '1'));
    const second = slotOf(receivers.offer(origin, '2'));
    receivers.offer(origin, '3');
    now += 10_000;
    const silent = receivers.free(first, false);
    expect(silent).toEqual({ next: undefined, putBack: [{ delivery: '3', backInMs: 10_250 }] });
    receivers.free(second, false);
    const probe = slotOf(receivers.offer(origin, '4'));
    expect(receivers.offer(origin, '5')).toHaveProperty('backInMs');
    receivers.free(probe, true);
    for (const name of ['5', '6', '7']) slotOf(receivers.offer(origin, name));
  });

  it('spaces turns as a receiver answers, and has nobody wait for a slow one', () => {
    let now = 0;
    const receivers = new Receivers<string>({ slots: SLOTS, untrusted: 100, now: () => now });
    for (const name of ['1', '2']) receivers.offer(origin, name);
    now += 3_000;
    const turns = ['4', '5', '6'].map((name) => receivers.offer(origin, name));
    expect(turns).toEqual([{ backInMs: 1_750 }, { backInMs: 3_250 }, { backInMs: 4_750 }]);
  });

  it('keeps room for those that answer, however many do not', () => {
    const receivers = new Receivers<string>({ slots: SLOTS, untrusted: 2 });
    receivers.free(slotOf(receivers.offer(origin, '0')), true);
    for (const name of ['1', '2']) slotOf(receivers.offer(`https://${name}.example`, name));
    expect(receivers.offer('https://3.example', '3')).toHaveProperty('backInMs');
    slotOf(receivers.offer(origin, '4'));
  });
});
