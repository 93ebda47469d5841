/** How much is under way to each receiver, so that a slow one holds up nobody else. */
export class ReceiverSlots {
  private readonly busy = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Takes a slot; undefined when the receiver has as many as it gets. */
  take(url: string): (() => void) | undefined {
    const receiver = new URL(url).origin;
    const under = this.busy.get(receiver) ?? 0;
    if (under >= this.most) return undefined;
    this.busy.set(receiver, under + 1);
    return () => {
      const left = (this.busy.get(receiver) ?? 1) - 1;
      if (left === 0) this.busy.delete(receiver);
      else this.busy.set(receiver, left);
    };
  }
}
