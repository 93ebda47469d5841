import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReceiverLimiter, type Slot, type AcquireResult } from './receiver-limiter.js';

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
        const receivers = new ReceiverLimiter<number>({
          maxPerReceiver: SLOTS,
          maxUntrusted: 4,
          now: () => now,
        });
        for (const step of all) {
          if (step.what === 'pass') now += step.ms;
          if (step.what === 'offer') {
            offered += 1;
            const turn = receivers.acquire(step.origin, offered);
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
            const { next, putBack } = receivers.release(slot, step.answered);
            left += 1 + putBack.length;
            if (next) underWay.push(next.slot);
          }
          for (const origin of origins)
            expect(underWay.filter((slot) => slot.origin === origin).length).toBeLessThanOrEqual(SLOTS);
          expect(underWay.filter(({ isTrusted }) => !isTrusted).length).toBeLessThanOrEqual(4);
          expect(underWay.length + receivers.waitingCount + left).toBe(offered);
        }
      }),
    );
  });

  const slotOf = (turn: AcquireResult): Slot => {
    if (turn === 'waits' || !('slot' in turn)) throw new Error('no slot');
    return turn.slot;
  };

  it('gives a stranger little, one that answers all, and one that is silent one attempt at a time', () => {
    const receivers = new ReceiverLimiter<string>({ maxPerReceiver: SLOTS, maxUntrusted: 100 });
    const first = slotOf(receivers.acquire(origin, '1'));
    const second = slotOf(receivers.acquire(origin, '2'));
    expect(receivers.acquire(origin, '3')).toBe('waits');
    const { next } = receivers.release(first, true);
    expect(next?.delivery).toBe('3');
    const fourth = slotOf(receivers.acquire(origin, '4'));
    expect(receivers.acquire(origin, '5')).toBe('waits');
    expect(receivers.release(fourth, undefined).next?.delivery).toBe('5');
    // The one that hangs began before others were answered: it says nothing of them.
    receivers.release(second, false);
    slotOf(receivers.acquire(origin, '6'));
  });

  it('tries a silent receiver once at a time, until it answers', () => {
    let now = 0;
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxUntrusted: 100,
      now: () => now,
    });
    const first = slotOf(receivers.acquire(origin, '1'));
    const second = slotOf(receivers.acquire(origin, '2'));
    receivers.acquire(origin, '3');
    now += 10_000;
    const silent = receivers.release(first, false);
    expect(silent).toEqual({ next: undefined, putBack: [{ delivery: '3', backInMs: 10_250 }] });
    receivers.release(second, false);
    const probe = slotOf(receivers.acquire(origin, '4'));
    expect(receivers.acquire(origin, '5')).toHaveProperty('backInMs');
    receivers.release(probe, true);
    for (const name of ['5', '6', '7']) slotOf(receivers.acquire(origin, name));
  });

  it('spaces turns as a receiver answers, and has nobody wait for a slow one', () => {
    let now = 0;
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxUntrusted: 100,
      now: () => now,
    });
    for (const name of ['1', '2']) receivers.acquire(origin, name);
    now += 3_000;
    const turns = ['4', '5', '6'].map((name) => receivers.acquire(origin, name));
    expect(turns).toEqual([{ backInMs: 1_750 }, { backInMs: 3_250 }, { backInMs: 4_750 }]);
  });

  it('keeps room for those that answer, however many do not', () => {
    const receivers = new ReceiverLimiter<string>({ maxPerReceiver: SLOTS, maxUntrusted: 2 });
    receivers.release(slotOf(receivers.acquire(origin, '0')), true);
    for (const name of ['1', '2']) slotOf(receivers.acquire(`https://${name}.example`, name));
    expect(receivers.acquire('https://3.example', '3')).toHaveProperty('backInMs');
    slotOf(receivers.acquire(origin, '4'));
  });
});
