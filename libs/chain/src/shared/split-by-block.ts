import { type PendingRead } from './fair-read-queue.js';
import { type OnResults } from './read-batcher.js';

/** The reads of a batch at one block. */
export interface BlockReads<Call> {
  /** Unset: the newest block. */
  readonly block: bigint | undefined;
  readonly reads: PendingRead<Call>[];
  /** Takes positions in `reads`. */
  readonly onResults: OnResults;
}

/**
 * Splits a batch by block, because one request to a node executes at one block.
 * @param onResults takes positions in `batch`
 */
export function splitByBlock<Call>(
  batch: readonly PendingRead<Call>[],
  onResults: OnResults,
): BlockReads<Call>[] {
  const byBlock = new Map<bigint | undefined, BlockReads<Call> & { readonly positions: number[] }>();
  batch.forEach((read, position) => {
    const { block } = read;
    let part = byBlock.get(block);
    if (!part) {
      const positions: number[] = [];
      const onPartResults: OnResults = (indices, results) => {
        onResults(
          indices.map((index) => positions[index] ?? -1),
          results,
        );
      };
      byBlock.set(block, (part = { block, reads: [], positions, onResults: onPartResults }));
    }
    part.reads.push(read);
    part.positions.push(position);
  });
  return Array.from(byBlock.values(), ({ block, reads, onResults: onPartResults }) => ({
    block,
    reads,
    onResults: onPartResults,
  }));
}
