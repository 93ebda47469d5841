import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import { type NodeCallOutcome, RpcNodeError } from './rpc-node-error.js';

/**
 * - `up`: it receives requests
 * - `breaker_open`: it failed several times in a row; background probes find out when it recovers
 * - `wrong_chain`: it reported another chain id
 * - `stuck`: its newest block is too old
 * - `lagging`: it is too many blocks behind the other nodes
 * - `rate_limited`: it asked for a pause
 */
export type NodeState = 'up' | 'breaker_open' | 'wrong_chain' | 'stuck' | 'lagging' | 'rate_limited';

/** Consecutive failures that open the breaker. */
const BREAKER_FAILURE_THRESHOLD = 5;
/** Milliseconds until an open breaker lets a probe through; doubles from the first to the last. */
const BREAKER_BACKOFF = { initialDelay: 500, maxDelay: 20_000 };
/** Milliseconds without a response to a pending request, after which other nodes are preferred. */
const MAX_SILENCE_MS = 1_000;

const isNodeFault = (error: Error): boolean =>
  error instanceof RpcNodeError && error.kind === 'unavailable' && !isIgnoredByBreaker(error);

/** A cooldown ends by itself, an excluded node is re-checked separately, and callers choose what a live node fails at. */
function isIgnoredByBreaker({ details: { aborted, excluded, alive, retryAfterMs } }: RpcNodeError): boolean {
  return Boolean(aborted) || Boolean(excluded) || Boolean(alive) || retryAfterMs !== undefined;
}

/** The health of one node. All times are from `performance.now()`. */
export class NodeHealthMonitor {
  private readonly breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isNodeFault), {
    breaker: new ConsecutiveBreaker(BREAKER_FAILURE_THRESHOLD),
    halfOpenAfter: new ExponentialBackoff(BREAKER_BACKOFF),
  });
  wrongChain = false;
  stuck = false;
  lagging = false;
  cooldownUntil = 0;
  /** A request timed out, and no response has come since. */
  timedOut = false;
  /** The time at which the last request ended. */
  lastOutcomeAt = -Infinity;
  private pendingRequests = 0;
  private lastSignOfLifeAt = 0;
  private reportedState: NodeState = 'up';

  constructor(private readonly onState?: (state: NodeState) => void) {}

  getState(now: number): NodeState {
    if (this.wrongChain) return 'wrong_chain';
    if (this.breaker.state !== CircuitState.Closed) return 'breaker_open';
    if (now < this.cooldownUntil) return 'rate_limited';
    if (this.stuck) return 'stuck';
    return this.lagging ? 'lagging' : 'up';
  }

  /** Whether other nodes are to be tried first, so that not every batch waits for a node that hangs. */
  isSlow(now: number): boolean {
    return this.timedOut || (this.pendingRequests > 0 && now - this.lastSignOfLifeAt > MAX_SILENCE_MS);
  }

  /** Runs work whose failures count, unless the node fails too often. Rejects with RpcNodeError as the work does. */
  async execute<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.breaker.execute(work);
    } catch (error) {
      if (error instanceof BrokenCircuitError)
        throw new RpcNodeError('unavailable', 'the node fails too often');
      throw error;
    } finally {
      this.notifyStateChange(performance.now());
    }
  }

  /** Sends one HTTP request and records its outcome, which `onOutcome` receives, too. */
  async track<T>(send: () => Promise<T>, onOutcome: (outcome: NodeCallOutcome) => void): Promise<T> {
    this.recordRequest(performance.now());
    let outcome: NodeCallOutcome = 'unavailable';
    try {
      const response = await send();
      this.lastOutcomeAt = performance.now();
      this.recordResponse(this.lastOutcomeAt);
      outcome = 'answered';
      return response;
    } catch (error) {
      this.lastOutcomeAt = performance.now();
      if (error instanceof RpcNodeError) {
        this.recordFailure(error, this.lastOutcomeAt);
        outcome = error.kind;
      }
      throw error;
    } finally {
      onOutcome(outcome);
    }
  }

  private recordRequest(now: number): void {
    if (this.pendingRequests === 0) this.lastSignOfLifeAt = now;
    this.pendingRequests += 1;
  }

  private recordResponse(now: number): void {
    this.pendingRequests -= 1;
    this.lastSignOfLifeAt = now;
    this.timedOut = false;
  }

  private recordFailure({ kind, details }: RpcNodeError, now: number): void {
    this.pendingRequests -= 1;
    if (details.timedOut) this.timedOut = true;
    else if (!details.aborted) this.lastSignOfLifeAt = now;
    if (kind === 'unavailable' && details.retryAfterMs !== undefined)
      this.cooldownUntil = Math.max(this.cooldownUntil, now + details.retryAfterMs);
  }

  /** Calls `onState` if the state differs from the one reported last. */
  notifyStateChange(now: number): void {
    const state = this.getState(now);
    if (state === this.reportedState) return;
    this.reportedState = state;
    this.onState?.(state);
  }
}
