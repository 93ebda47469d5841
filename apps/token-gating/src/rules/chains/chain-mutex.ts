/**
 * Runs one round of background reads at a time per chain. Their chunks are read one by one, so concurrent rounds would run
 * into their timeouts waiting for each other.
 */
export class ChainMutex {
  private readonly lastRounds = new Map<number, Promise<void>>();

  /** Waits for earlier rounds without a timeout of its own, because each round has one. */
  async runExclusive<T>(chainId: number, round: () => Promise<T>): Promise<T> {
    const previous = this.lastRounds.get(chainId);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.lastRounds.set(chainId, ended);
    await previous;
    try {
      return await round();
    } finally {
      end();
      if (this.lastRounds.get(chainId) === ended) this.lastRounds.delete(chainId);
    }
  }
}
