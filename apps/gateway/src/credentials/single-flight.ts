/** Shares one promise between concurrent calls for the same key. */
export class SingleFlight<T> {
  private readonly pending = new Map<string, Promise<T>>();

  isPending(key: string): boolean {
    return this.pending.has(key);
  }

  /** The pending result for a key, or a new one of `work`. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    let result = this.pending.get(key);
    if (!result) {
      result = work().finally(() => this.pending.delete(key));
      this.pending.set(key, result);
    }
    return result;
  }
}
