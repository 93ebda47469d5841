/** The clocks at the time when a node reported the timestamp of its newest block. */
export interface BlockObservation {
  /** Block timestamp, seconds since 1970. */
  readonly blockTimestamp: number;
  /** Local clock, milliseconds since 1970. */
  readonly localTimeMs: number;
  /** The node's clock by the `Date` header of its response, milliseconds since 1970; unset without that header. */
  readonly nodeTimeMs?: number;
  /** `performance.now()`, which is monotonic. */
  readonly observedAt: number;
}

/**
 * Measures the age of one node's newest block. Two clocks have to agree, because a local clock that is minutes fast would
 * make every node look stuck. The second is the node's clock, or the monotonic time since the block was first observed.
 */
export class BlockAgeTracker {
  private first: { readonly blockTimestamp: number; readonly observedAt: number } | undefined;

  /** Age of the block in milliseconds: the smaller one of the two clocks. */
  measureAgeMs({
    blockTimestamp,
    localTimeMs,
    nodeTimeMs = -Infinity,
    observedAt,
  }: BlockObservation): number {
    if (this.first?.blockTimestamp !== blockTimestamp) this.first = { blockTimestamp, observedAt };
    const sinceFirstObservedMs = observedAt - this.first.observedAt;
    const blockTimeMs = blockTimestamp * 1_000;
    return Math.min(localTimeMs - blockTimeMs, Math.max(nodeTimeMs - blockTimeMs, sinceFirstObservedMs));
  }
}
