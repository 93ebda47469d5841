import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CircuitBreakerOutcome, CircuitBreaker } from './circuit-breaker.js';

describe('the circuit breaker', () => {
  let clock: number;
  let breaker: CircuitBreaker;

  beforeEach(() => {
    clock = 0;
    breaker = new CircuitBreaker({ failureThreshold: 3, resetTimeoutMs: 1_000 }, () => clock);
  });

  const pass = (outcome: CircuitBreakerOutcome): boolean => {
    const report = breaker.acquire();
    report?.(outcome);
    return report !== undefined;
  };
  const open = () => {
    ['failed', 'failed', 'failed'].forEach(() => pass('failed'));
  };

  it('circuit breaker: opens after consecutive failures; a response resets the count, a disconnected client does not', () => {
    pass('failed');
    pass('failed');
    pass('answered');
    pass('failed');
    pass('abandoned');
    pass('failed');
    expect(pass('failed')).toBe(true);
    expect(pass('answered')).toBe(false);
  });

  it('circuit breaker: lets one probe request through after the reset timeout and rejects all others', () => {
    open();
    clock = 999;
    expect(breaker.acquire()).toBeUndefined();
    clock = 1_000;
    const probe = breaker.acquire();
    expect(probe).toBeDefined();
    expect(breaker.acquire()).toBeUndefined();
    probe?.('answered');
    expect(pass('answered')).toBe(true);
  });

  it('circuit breaker: stays open when the probe fails, and probes again when the client of the probe disconnected', () => {
    open();
    clock = 1_000;
    expect(pass('failed')).toBe(true);
    clock = 1_999;
    expect(breaker.acquire()).toBeUndefined();
    clock = 2_000;
    expect(pass('abandoned')).toBe(true);
    expect(pass('answered')).toBe(true);
    expect(pass('answered')).toBe(true);
  });
});
