/** What the clocks said when a node told the time of its newest block. */
export interface BlockObservation {
  /** The block's own time, seconds since 1970. */
  readonly blockTimestamp: number;
  /** Our clock, milliseconds since 1970. */
  readonly localTimeMs: number;
  /** The clock of the node, by the Date of its answer, milliseconds since 1970; unset: it did not tell. */
  readonly nodeTimeMs?: number;
  /** On the clock of `performance.now()`, which nobody sets. */
  readonly observedAt: number;
}

/**
 * How old the newest block of one node is. One clock alone is not believed: ours may be fast by minutes, and every node of
 * every chain would look stuck. The second one is the node's, or, from when we first saw the block, the time that went by.
 */
export class BlockAgeTracker {
  private first: { readonly minedAt: number; readonly at: number } | undefined;

  /** Milliseconds that the block is old by both clocks. */
  measureAgeMs({
    blockTimestamp,
    localTimeMs,
    nodeTimeMs = -Infinity,
    observedAt,
  }: BlockObservation): number {
    if (this.first?.minedAt !== blockTimestamp) this.first = { minedAt: blockTimestamp, at: observedAt };
    const watchedMs = observedAt - this.first.at;
    const mined = blockTimestamp * 1_000;
    return Math.min(localTimeMs - mined, Math.max(nodeTimeMs - mined, watchedMs));
  }
}
