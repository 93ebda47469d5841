/**
 * One round of background reads at a time on each chain: their chunks go one by one, and rounds that shared the way would
 * all use up their time waiting for each other.
 */
export class ChainMutex {
  private readonly last = new Map<number, Promise<void>>();

  /** Waits without a bound: each round before has one of its own. */
  async runExclusive<T>(chainId: number, round: () => Promise<T>): Promise<T> {
    const before = this.last.get(chainId);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.last.set(chainId, ended);
    await before;
    try {
      return await round();
    } finally {
      end();
      if (this.last.get(chainId) === ended) this.last.delete(chainId);
    }
  }
}
