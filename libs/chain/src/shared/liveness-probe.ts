import { RpcNodeError } from './rpc-node-error.js';

/**
 * Distinguishes a dead node from a live one that a single request keeps busy: a contract can loop for longer than the
 * timeout, and must not make nodes look dead. When half of a request's timeout has passed, it sends a cheap probe with the
 * same method. If the node answers the probe but not the request, the request is too heavy.
 */
export class LivenessProbe {
  /** When the node last executed a call, by `performance.now()`. */
  private lastActivityAt = -Infinity;
  private probing = false;

  constructor(private readonly sendProbe: () => Promise<unknown>) {}

  /** Call it when the node has executed a call, with whatever result. */
  recordActivity(now: number): void {
    this.lastActivityAt = now;
  }

  /** Waits for the work, which has to reject by itself after `timeoutMs`. */
  async watch<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    let halfTimeAt = Infinity;
    const halfTime = setTimeout(() => {
      halfTimeAt = performance.now();
      void this.probe();
    }, timeoutMs / 2);
    try {
      return await work();
    } catch (error) {
      if (error instanceof RpcNodeError && error.details.timedOut && this.lastActivityAt >= halfTimeAt)
        throw new RpcNodeError('too_heavy', 'the call took longer than the timeout', { timedOut: true });
      throw error;
    } finally {
      clearTimeout(halfTime);
    }
  }

  private async probe(): Promise<void> {
    if (this.probing) return;
    this.probing = true;
    try {
      await this.sendProbe();
    } catch (error) {
      // A failed probe records no activity; that is its result.
      if (!(error instanceof RpcNodeError)) throw error;
    } finally {
      this.probing = false;
    }
  }
}
