import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import { NodeFailure } from './node-failure.js';

/**
 * - `up`: it is asked
 * - `breaker_open`: it failed again and again; probes in the background find out when it is back
 * - `wrong_chain`: it named another chain
 * - `stuck`: its newest block is far too old
 * - `lagging`: it is too many blocks behind the others
 * - `rate_limited`: it asked to be left alone for a while
 */
export type NodeState = 'up' | 'breaker_open' | 'wrong_chain' | 'stuck' | 'lagging' | 'rate_limited';

/** Failures in a row that open the breaker. */
const failuresToOpen = 5;
/** Milliseconds until the first probe of an open breaker, doubling up to the last. */
const probeAfter = { initialDelay: 500, maxDelay: 20_000 };
/** Milliseconds without a sign of life from a node that has been asked: others are preferred then. */
const silenceMs = 1_000;

const isNodesFault = (error: Error): boolean =>
  error instanceof NodeFailure && error.kind === 'unavailable' && !isExcused(error);

/** Where the breaker has no say: a rest has its own end, and so has being excluded. */
function isExcused({ conduct }: NodeFailure): boolean {
  return Boolean(conduct.abandoned) || Boolean(conduct.excluded) || conduct.restMs !== undefined;
}

/** What is known of one node's fitness. All times are on the clock of `performance.now()`. */
export class NodeHealth {
  readonly breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isNodesFault), {
    breaker: new ConsecutiveBreaker(failuresToOpen),
    halfOpenAfter: new ExponentialBackoff(probeAfter),
  });
  wrongChain = false;
  stuck = false;
  lagging = false;
  restUntil = 0;
  /** It let a time-out pass, and has not answered since. */
  timedOut = false;
  private underWay = 0;
  private lastSignOfLife = 0;
  private reported: NodeState = 'up';

  constructor(private readonly onState?: (state: NodeState) => void) {}

  state(now: number): NodeState {
    if (this.wrongChain) return 'wrong_chain';
    if (this.breaker.state !== CircuitState.Closed) return 'breaker_open';
    if (now < this.restUntil) return 'rate_limited';
    if (this.stuck) return 'stuck';
    return this.lagging ? 'lagging' : 'up';
  }

  /** Whether another node should be asked first, so that not every batch pays for a node that hangs. */
  isSlow(now: number): boolean {
    return this.timedOut || (this.underWay > 0 && now - this.lastSignOfLife > silenceMs);
  }

  asked(now: number): void {
    if (this.underWay === 0) this.lastSignOfLife = now;
    this.underWay += 1;
  }

  answered(now: number): void {
    this.underWay -= 1;
    this.lastSignOfLife = now;
    this.timedOut = false;
  }

  failed({ kind, conduct }: NodeFailure, now: number): void {
    this.underWay -= 1;
    if (conduct.timedOut) this.timedOut = true;
    else if (!conduct.abandoned) this.lastSignOfLife = now;
    if (kind === 'unavailable' && conduct.restMs !== undefined)
      this.restUntil = Math.max(this.restUntil, now + conduct.restMs);
  }

  /** Tells of a change. */
  report(now: number): void {
    const state = this.state(now);
    if (state === this.reported) return;
    this.reported = state;
    this.onState?.(state);
  }
}
