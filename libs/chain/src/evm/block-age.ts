/** What the clocks said when a node told the time of its newest block. */
export interface BlockSighting {
  /** The block's own time, seconds since 1970. */
  readonly minedAt: number;
  /** Our clock, milliseconds since 1970. */
  readonly ours: number;
  /** The clock of the node, by the Date of its answer, milliseconds since 1970; unset: it did not tell. */
  readonly theirs?: number;
  /** On the clock of `performance.now()`, which nobody sets. */
  readonly at: number;
}

/**
 * How old the newest block of one node is. One clock alone is not believed: ours may be fast by minutes, and every node of
 * every chain would look stuck. The second one is the node's, or, from when we first saw the block, the time that went by.
 */
export class BlockAge {
  private first: { readonly minedAt: number; readonly at: number } | undefined;

  /** Milliseconds that the block is old by both clocks. */
  see({ minedAt, ours, theirs = -Infinity, at }: BlockSighting): number {
    if (this.first?.minedAt !== minedAt) this.first = { minedAt, at };
    const watchedMs = at - this.first.at;
    const mined = minedAt * 1_000;
    return Math.min(ours - mined, Math.max(theirs - mined, watchedMs));
  }
}
