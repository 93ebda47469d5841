import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairRateLimit } from './fair-rate-limit.js';

const newSignal = (): AbortSignal => new AbortController().signal;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

async function advance(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  // Callbacks of promises run before the next statement.
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

/** Acquires places, and notes the shares in the order in which they get one. */
function acquireAll(limiter: FairRateLimit, shares: readonly string[]): string[] {
  const granted: string[] = [];
  for (const share of shares)
    void limiter.acquire(share, newSignal()).then((outcome) => {
      if (outcome === 'granted') granted.push(share);
    });
  return granted;
}

describe('FairRateLimit', () => {
  it('FairRateLimit: never grants more than the requests of a minute, whatever the burst', async () => {
    const limiter = new FairRateLimit({ requestsPerMinute: 60, maxWaitingPerKey: 1_000 });
    const granted = acquireAll(limiter, Array<string>(500).fill('a'));
    await advance(60_000);
    expect(granted.length).toBeLessThanOrEqual(60);
    expect(granted.length).toBeGreaterThan(55);
  });

  it('FairRateLimit: lets shares take turns', async () => {
    const limiter = new FairRateLimit({ requestsPerMinute: 6, maxWaitingPerKey: 100 });
    const granted = acquireAll(limiter, ['a', ...Array<string>(20).fill('a'), 'b', 'b']);
    await advance(60_000);
    expect(granted.slice(0, 5)).toEqual(['a', 'a', 'b', 'a', 'b']);
  });

  it('FairRateLimit: refuses at once what its share has no room for', async () => {
    const limiter = new FairRateLimit({ requestsPerMinute: 6, maxWaitingPerKey: 1 });
    acquireAll(limiter, ['a', 'a']);
    await expect(limiter.acquire('a', newSignal())).resolves.toBe('refused');
  });

  it('FairRateLimit: forgets requests that were aborted', async () => {
    const limiter = new FairRateLimit({ requestsPerMinute: 6, maxWaitingPerKey: 1 });
    acquireAll(limiter, ['a']);
    const aborter = new AbortController();
    const waiting = limiter.acquire('a', aborter.signal);
    aborter.abort();
    await expect(waiting).resolves.toBe('aborted');
    const granted = acquireAll(limiter, ['a']);
    await advance(60_000);
    expect(granted).toEqual(['a']);
  });

  it('FairRateLimit: grants nothing during a pause', async () => {
    const limiter = new FairRateLimit({ requestsPerMinute: 60_000, maxWaitingPerKey: 10 });
    limiter.pause(5_000);
    const granted = acquireAll(limiter, ['a', 'b']);
    await advance(4_900);
    expect(granted).toEqual([]);
    await advance(200);
    expect(granted).toEqual(['a', 'b']);
  });
});
