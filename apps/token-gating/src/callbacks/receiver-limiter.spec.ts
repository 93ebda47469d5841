import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReceiverLimiter, type Slot, type AcquireResult } from './receiver-limiter.js';

const SLOTS = 3;
const origin = { tenantId: 'tenant_1', origin: 'https://a.example' };
const origins = [origin, { tenantId: 'tenant_2', origin: 'https://a.example' }];
const maxInFlight = 1_000;

/** Events: a delivery is offered to a receiver, an attempt ends, or time passes. */
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

describe('ReceiverLimiter', () => {
  it('ReceiverLimiter: never exceeds the slots of a receiver and loses no delivery', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let now = 1_000;
        let offered = 0;
        let done = 0; // ended or deferred
        const inFlight: Slot[] = [];
        const receivers = new ReceiverLimiter<number>({
          maxPerReceiver: SLOTS,
          maxInFlight,
          maxUntrusted: 4,
          now: () => now,
        });
        for (const step of all) {
          if (step.what === 'pass') now += step.ms;
          if (step.what === 'offer') {
            offered += 1;
            const acquired = receivers.acquire(step.origin, offered);
            if (acquired === 'queued') continue;
            if ('slot' in acquired) inFlight.push(acquired.slot);
            else {
              expect(acquired.delayMs).toBeGreaterThanOrEqual(250);
              done += 1;
            }
          }
          const at =
            step.what === 'end' ? inFlight.findIndex(({ receiver }) => receiver === step.origin) : -1;
          if (step.what === 'end' && at !== -1) {
            const [slot] = inFlight.splice(at, 1);
            if (!slot) continue;
            const { next, deferred } = receivers.release(slot, step.answered);
            done += 1 + deferred.length;
            if (next) inFlight.push(next.slot);
          }
          for (const origin of origins)
            expect(inFlight.filter(({ receiver }) => receiver === origin).length).toBeLessThanOrEqual(SLOTS);
          expect(inFlight.filter(({ isResponsive }) => !isResponsive).length).toBeLessThanOrEqual(4);
          expect(inFlight.length + receivers.waitingCount + done).toBe(offered);
        }
      }),
    );
  });

  const slotOf = (acquired: AcquireResult): Slot => {
    if (acquired === 'queued' || !('slot' in acquired)) throw new Error('no slot');
    return acquired.slot;
  };

  it('ReceiverLimiter: gives an unknown receiver few slots and a responsive one all', () => {
    const receivers = new ReceiverLimiter<string>({ maxPerReceiver: SLOTS, maxInFlight, maxUntrusted: 100 });
    const first = slotOf(receivers.acquire(origin, '1'));
    const second = slotOf(receivers.acquire(origin, '2'));
    expect(receivers.acquire(origin, '3')).toBe('queued');
    const { next } = receivers.release(first, true);
    expect(next?.delivery).toBe('3');
    const fourth = slotOf(receivers.acquire(origin, '4'));
    expect(receivers.acquire(origin, '5')).toBe('queued');
    expect(receivers.release(fourth, undefined).next?.delivery).toBe('5');
    // The hanging attempt started before a response, so the receiver stays responsive.
    receivers.release(second, false);
    slotOf(receivers.acquire(origin, '6'));
  });

  it('ReceiverLimiter: sends one attempt at a time to an unresponsive receiver, until it responds', () => {
    let now = 0;
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxInFlight,
      maxUntrusted: 100,
      now: () => now,
    });
    const first = slotOf(receivers.acquire(origin, '1'));
    const second = slotOf(receivers.acquire(origin, '2'));
    receivers.acquire(origin, '3');
    now += 10_000;
    const unanswered = receivers.release(first, false);
    expect(unanswered).toEqual({ next: undefined, deferred: [{ delivery: '3', delayMs: 10_250 }] });
    receivers.release(second, false);
    const probe = slotOf(receivers.acquire(origin, '4'));
    expect(receivers.acquire(origin, '5')).toHaveProperty('delayMs');
    receivers.release(probe, true);
    for (const name of ['5', '6', '7']) slotOf(receivers.acquire(origin, name));
  });

  it('ReceiverLimiter: defers deliveries to a slow receiver, spaced by its response time', () => {
    let now = 0;
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxInFlight,
      maxUntrusted: 100,
      now: () => now,
    });
    for (const name of ['1', '2']) receivers.acquire(origin, name);
    now += 3_000;
    const acquired = ['4', '5', '6'].map((name) => receivers.acquire(origin, name));
    expect(acquired).toEqual([{ delayMs: 1_750 }, { delayMs: 3_250 }, { delayMs: 4_750 }]);
  });

  it('ReceiverLimiter: keeps capacity for responsive receivers, however many are unresponsive', () => {
    const receivers = new ReceiverLimiter<string>({ maxPerReceiver: SLOTS, maxInFlight, maxUntrusted: 4 });
    receivers.release(slotOf(receivers.acquire(origin, '0')), true);
    for (const name of ['1', '2']) slotOf(receivers.acquire(other(origin.tenantId, name), name));
    expect(receivers.acquire(other(origin.tenantId, '3'), '3')).toHaveProperty('delayMs');
    slotOf(receivers.acquire(origin, '4'));
  });

  it('T55: ReceiverLimiter: leaves as much to other tenants as one tenant has, however many receivers it has', () => {
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxInFlight: 30,
      maxUntrusted: 12,
    });
    const countAcquired = (tenantId: string, names: string): number =>
      names.split('').filter((name) => 'slot' in Object(receivers.acquire(other(tenantId, name), name)))
        .length;
    const names = 'abcdefghijklmnopqrst';
    expect(countAcquired('tenant_1', names)).toBe(6);
    expect(countAcquired('tenant_2', names)).toBe(3);
    expect(countAcquired('tenant_3', names)).toBe(2);
    expect(receivers.waitingCount).toBe(0);
  });

  it('T55: ReceiverLimiter: spaces the deferred deliveries of a tenant whose share is used up', () => {
    const receivers = new ReceiverLimiter<string>({
      maxPerReceiver: SLOTS,
      maxInFlight,
      maxUntrusted: 2,
      now: () => 0,
    });
    slotOf(receivers.acquire(other('tenant_1', '0'), '0'));
    const acquired = ['1', '2', '3'].map((name) => receivers.acquire(other('tenant_1', name), name));
    expect(acquired).toEqual([{ delayMs: 260 }, { delayMs: 270 }, { delayMs: 280 }]);
  });
});

const other = (tenantId: string, name: string) => ({ tenantId, origin: `https://${name}.example` });
