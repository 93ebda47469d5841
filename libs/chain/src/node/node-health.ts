import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import { isContractError, type NodeCallOutcome, RpcNodeError } from './rpc-node-error.js';

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

interface NodeHealthOptions {
  readonly onState?: (state: NodeState) => void;
  /** Sends a cheap request of the kind whose life is watched. */
  readonly sendProbe: () => Promise<unknown>;
}

interface TrackOptions {
  /** Whether a response shows that the node executes what callers choose, and not only answers. */
  readonly isCall: boolean;
  readonly onOutcome: (outcome: NodeCallOutcome) => void;
}

/**
 * The health of one node, by the outcomes of its requests. All times are from `performance.now()`.
 *
 * Callers choose the contracts, and a contract must not make nodes look dead. So a dead node is distinguished from a live one
 * that fails at a single call by a cheap probe, which is sent when half of a call's timeout has passed, because a contract can
 * loop for longer than the timeout, and when the node answers a call with an error.
 */
export class NodeHealth {
  private readonly breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isNodeFault), {
    breaker: new ConsecutiveBreaker(BREAKER_FAILURE_THRESHOLD),
    halfOpenAfter: new ExponentialBackoff(BREAKER_BACKOFF),
  });
  wrongChain = false;
  stuck = false;
  lagging = false;
  cooldownUntil = 0;
  /** A request timed out, and no response has come since. */
  private timedOut = false;
  /** The time at which the last request ended. */
  lastOutcomeAt = -Infinity;
  /** The time at which the node last executed a call. */
  private lastCallAt = -Infinity;
  private pendingRequests = 0;
  private lastSignOfLifeAt = 0;
  private reportedState: NodeState = 'up';
  private pendingProbe: Promise<void> | undefined;

  constructor(private readonly options: NodeHealthOptions) {}

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
  async track<T>(send: () => Promise<T>, { isCall, onOutcome }: TrackOptions): Promise<T> {
    this.recordRequest(performance.now());
    let outcome: NodeCallOutcome = 'unavailable';
    try {
      const response = await send();
      this.lastOutcomeAt = performance.now();
      this.recordResponse(this.lastOutcomeAt);
      if (isCall) this.lastCallAt = this.lastOutcomeAt;
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

  /** Waits for a call, which has to reject by itself after `timeoutMs`. Rejects with what its failure says about the node. */
  async watch<T>(timeoutMs: number, call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let halfTimeAt = Infinity;
    const halfTime = setTimeout(() => {
      halfTimeAt = performance.now();
      void this.probe();
    }, timeoutMs / 2);
    try {
      return await call();
    } catch (error) {
      clearTimeout(halfTime);
      if (!(error instanceof RpcNodeError)) throw error;
      if (error.details.timedOut) throw this.lastCallAt >= halfTimeAt ? createTooHeavyError() : error;
      throw isAmbiguous(error) && (await this.isAliveSince(startedAt)) ? toLiveNodeError(error) : error;
    } finally {
      clearTimeout(halfTime);
    }
  }

  private async isAliveSince(time: number): Promise<boolean> {
    if (this.lastCallAt < time) await this.probe();
    return this.lastCallAt >= time;
  }

  /** Concurrent callers share one probe. */
  private probe(): Promise<void> {
    this.pendingProbe ??= this.runProbe().finally(() => {
      this.pendingProbe = undefined;
    });
    return this.pendingProbe;
  }

  private async runProbe(): Promise<void> {
    try {
      await this.options.sendProbe();
    } catch (error) {
      // A failed probe records no executed call; that is its result.
      if (!(error instanceof RpcNodeError)) throw error;
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

  private recordFailure(error: RpcNodeError, now: number): void {
    const { kind, details } = error;
    if (isContractError(error)) this.lastCallAt = now;
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
    this.options.onState?.(state);
  }
}

/** An overloaded node says so for all requests, and a probe would be one more. */
const OVERLOADED_STATUS = 503;

/** Whether the node answered with an error that either it or the contract may have caused. A cooldown is the node's own. */
function isAmbiguous({ kind, details: { unexplained, httpStatus, retryAfterMs } }: RpcNodeError): boolean {
  const isHttpError =
    httpStatus !== undefined && httpStatus !== OVERLOADED_STATUS && retryAfterMs === undefined;
  return kind === 'unavailable' && (unexplained !== undefined || isHttpError);
}

function createTooHeavyError(): RpcNodeError {
  return new RpcNodeError('too_heavy', 'the call took longer than the timeout', { timedOut: true });
}

function toLiveNodeError({ message, details }: RpcNodeError): RpcNodeError {
  const kind = details.unexplained ? 'rejected' : 'unavailable';
  return new RpcNodeError(kind, message, { ...details, alive: true });
}
