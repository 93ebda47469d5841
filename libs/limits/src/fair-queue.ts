/**
 * Says whose turn it is among keys, such as tenants, whose work waits. Keys take turns, so that a key with much work delays
 * the work of another key by one turn at most.
 */
export class FairQueue<T> {
  /** Waiting work by key, in the order of the keys' turns; each list is not empty. */
  private readonly byKey = new Map<string, T[]>();

  /** @param useOf what a key has used lately: the key with the least use has the next turn of `take` */
  constructor(private readonly useOf?: (key: string) => number) {}

  /** Keys with waiting work. */
  get keyCount(): number {
    return this.byKey.size;
  }

  countOf(key: string): number {
    return this.byKey.get(key)?.length ?? 0;
  }

  add(key: string, item: T): void {
    const waiting = this.byKey.get(key);
    if (waiting) waiting.push(item);
    else this.byKey.set(key, [item]);
  }

  /** Removes an item that shall not wait any longer; the key keeps its place in the order. */
  remove(key: string, item: T): void {
    const waiting = this.byKey.get(key) ?? [];
    const index = waiting.indexOf(item);
    if (index >= 0) waiting.splice(index, 1);
    if (waiting.length === 0) this.byKey.delete(key);
  }

  /** Takes the next item of a key that may have a turn now; that key goes to the end of the order. */
  take(mayHaveTurn: (key: string) => boolean = () => true): T | undefined {
    let next: { readonly key: string; readonly use: number } | undefined;
    for (const key of this.byKey.keys()) {
      if (!mayHaveTurn(key)) continue;
      if (!this.useOf) return this.takeFrom(key);
      const use = this.useOf(key);
      if (!next || use < next.use) next = { key, use };
    }
    return next && this.takeFrom(next.key);
  }

  /** Takes the next item of this key, which goes to the end of the order. */
  takeFrom(key: string): T | undefined {
    return this.removeFirst(key, 1)[0];
  }

  /** Takes all items of a key. */
  takeAll(key: string): readonly T[] {
    return this.removeFirst(key, Infinity);
  }

  private removeFirst(key: string, count: number): T[] {
    const waiting = this.byKey.get(key) ?? [];
    this.byKey.delete(key);
    const taken = waiting.splice(0, count);
    if (waiting.length > 0) this.byKey.set(key, waiting);
    return taken;
  }
}
