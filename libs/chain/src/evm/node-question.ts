/** One JSON-RPC question, and what its answer means. */
export interface NodeQuestion<T> {
  readonly method: string;
  /** JSON text. */
  readonly params: string;
  /** A result beyond this is `flooded`; unset: what the transport bears, and `too_heavy` beyond. */
  readonly maxResultBytes?: number;
  /** Makes something of the result, a hex text with 0x. Throws NodeFailure on what no good node answers. */
  readonly interpret: (result: string) => T;
  /** The block that the answer tells of, where it was asked of the newest one. */
  readonly blockOf?: (answer: T) => bigint | undefined;
}
