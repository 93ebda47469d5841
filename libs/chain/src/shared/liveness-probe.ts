import { RpcNodeError } from './rpc-node-error.js';

/**
 * Tells a node that is silent from one that a single question is too much for: a contract can loop for longer than we wait,
 * and whoever asks for it must not make nodes look dead. Half-way through its time a question without an answer makes us
 * ask for a cheap sign of life, in the same form in which reads are asked. If one came, the question is too heavy.
 */
export class LivenessProbe {
  /** When the node last carried out a call, on the clock of `performance.now()`. */
  private beatAt = -Infinity;
  private feeling = false;

  constructor(private readonly askForSign: () => Promise<unknown>) {}

  /** The node carried out a call, whatever came of it. */
  recordActivity(now: number): void {
    this.beatAt = now;
  }

  /** Waits for the work, which gives up by itself after `timeoutMs`. */
  async watch<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    let halfTimeAt = Infinity;
    const halfTime = setTimeout(() => {
      halfTimeAt = performance.now();
      void this.probe();
    }, timeoutMs / 2);
    try {
      return await work();
    } catch (error) {
      if (error instanceof RpcNodeError && error.details.timedOut && this.beatAt >= halfTimeAt)
        throw new RpcNodeError('too_heavy', 'the question took the node too long', { timedOut: true });
      throw error;
    } finally {
      clearTimeout(halfTime);
    }
  }

  private async probe(): Promise<void> {
    if (this.feeling) return;
    this.feeling = true;
    try {
      await this.askForSign();
    } catch (error) {
      // No sign is an answer too.
      if (!(error instanceof RpcNodeError)) throw error;
    } finally {
      this.feeling = false;
    }
  }
}
