import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import { RpcNodeError } from './rpc-node-error.js';

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
const BREAKER_FAILURE_THRESHOLD = 5;
/** Milliseconds until the first probe of an open breaker, doubling up to the last. */
const BREAKER_BACKOFF = { initialDelay: 500, maxDelay: 20_000 };
/** Milliseconds without a sign of life from a node that has been asked: others are preferred then. */
const MAX_SILENCE_MS = 1_000;

const isNodeFault = (error: Error): boolean =>
  error instanceof RpcNodeError && error.kind === 'unavailable' && !isIgnoredByBreaker(error);

/** Where the breaker has no say: a rest has its own end, and so has being excluded. */
function isIgnoredByBreaker({ details }: RpcNodeError): boolean {
  return Boolean(details.aborted) || Boolean(details.excluded) || details.retryAfterMs !== undefined;
}

/** What is known of one node's fitness. All times are on the clock of `performance.now()`. */
export class NodeHealthMonitor {
  readonly breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isNodeFault), {
    breaker: new ConsecutiveBreaker(BREAKER_FAILURE_THRESHOLD),
    halfOpenAfter: new ExponentialBackoff(BREAKER_BACKOFF),
  });
  wrongChain = false;
  stuck = false;
  lagging = false;
  cooldownUntil = 0;
  /** It let a time-out pass, and has not answered since. */
  timedOut = false;
  private underWay = 0;
  private lastSignOfLife = 0;
  private reported: NodeState = 'up';

  constructor(private readonly onState?: (state: NodeState) => void) {}

  getState(now: number): NodeState {
    if (this.wrongChain) return 'wrong_chain';
    if (this.breaker.state !== CircuitState.Closed) return 'breaker_open';
    if (now < this.cooldownUntil) return 'rate_limited';
    if (this.stuck) return 'stuck';
    return this.lagging ? 'lagging' : 'up';
  }

  /** Whether another node should be asked first, so that not every batch pays for a node that hangs. */
  isSlow(now: number): boolean {
    return this.timedOut || (this.underWay > 0 && now - this.lastSignOfLife > MAX_SILENCE_MS);
  }

  recordRequest(now: number): void {
    if (this.underWay === 0) this.lastSignOfLife = now;
    this.underWay += 1;
  }

  recordResponse(now: number): void {
    this.underWay -= 1;
    this.lastSignOfLife = now;
    this.timedOut = false;
  }

  recordFailure({ kind, details }: RpcNodeError, now: number): void {
    this.underWay -= 1;
    if (details.timedOut) this.timedOut = true;
    else if (!details.aborted) this.lastSignOfLife = now;
    if (kind === 'unavailable' && details.retryAfterMs !== undefined)
      this.cooldownUntil = Math.max(this.cooldownUntil, now + details.retryAfterMs);
  }

  /** Tells of a change. */
  notifyStateChange(now: number): void {
    const state = this.getState(now);
    if (state === this.reported) return;
    this.reported = state;
    this.onState?.(state);
  }
}
