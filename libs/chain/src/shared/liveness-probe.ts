import { RpcNodeError } from './rpc-node-error.js';

/**
 * Distinguishes a dead node from a live one that fails at a single call: callers choose the contracts, and a contract must not
 * make nodes look dead. It sends a cheap probe with the same method when half of a call's timeout has passed, because a contract
 * can loop for longer than the timeout, and when the node answers a call with an error.
 */
export class LivenessProbe {
  /** The time at which the node last executed a call, by `performance.now()`. */
  private lastActivityAt = -Infinity;
  private pendingProbe: Promise<void> | undefined;

  constructor(private readonly sendProbe: () => Promise<unknown>) {}

  /** Call it when the node has executed a call, with whatever result. */
  recordActivity(now: number): void {
    this.lastActivityAt = now;
  }

  /** Waits for the call, which has to reject by itself after `timeoutMs`. Rejects with what its failure says about the node. */
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
      if (error.details.timedOut) throw this.lastActivityAt >= halfTimeAt ? createTooHeavyError() : error;
      throw isAmbiguous(error) && (await this.isAliveSince(startedAt)) ? toLiveNodeError(error) : error;
    } finally {
      clearTimeout(halfTime);
    }
  }

  private async isAliveSince(time: number): Promise<boolean> {
    if (this.lastActivityAt < time) await this.probe();
    return this.lastActivityAt >= time;
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
      await this.sendProbe();
    } catch (error) {
      // A failed probe records no activity; that is its result.
      if (!(error instanceof RpcNodeError)) throw error;
    }
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
