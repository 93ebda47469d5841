/**
 * Says whose turn it is among keys, such as tenants, whose work waits. Keys take turns, so that a key with much work delays
 * the work of another key by one turn at most.
 */
export class FairQueue<T, Key = string> {
  /** Waiting work by key, in the order of the keys' turns; each list is not empty. */
  private readonly byKey = new Map<Key, T[]>();

  /** Keys with waiting work. */
  get keyCount(): number {
    return this.byKey.size;
  }

  countOf(key: Key): number {
    return this.byKey.get(key)?.length ?? 0;
  }

  add(key: Key, item: T): void {
    const waiting = this.byKey.get(key);
    if (waiting) waiting.push(item);
    else this.byKey.set(key, [item]);
  }

  /** Takes the next item of a key that may have a turn now; that key goes to the end of the order. */
  take(mayHaveTurn: (key: Key) => boolean = () => true): T | undefined {
    for (const key of this.byKey.keys()) if (mayHaveTurn(key)) return this.takeOf(key, 1)[0];
    return undefined;
  }

  /**
   * Gives the next key one turn of several items; that key goes to the end of the order.
   * @param toCount how many of so many waiting items one turn takes, one at least
   */
  takeTurn(toCount: (waiting: number) => number): readonly T[] {
    const [next] = this.byKey;
    return next ? this.takeOf(next[0], toCount(next[1].length)) : [];
  }

  /** Takes all items of a key. */
  takeAll(key: Key): readonly T[] {
    return this.takeOf(key, Infinity);
  }

  private takeOf(key: Key, count: number): T[] {
    const waiting = this.byKey.get(key) ?? [];
    this.byKey.delete(key);
    const taken = waiting.splice(0, count);
    if (waiting.length > 0) this.byKey.set(key, waiting);
    return taken;
  }
}
