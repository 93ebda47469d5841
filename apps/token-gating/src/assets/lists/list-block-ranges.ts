/** Blocks of one request. Many nodes serve no more. */
const MAX_BLOCKS = 2_000n;

export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Divides the newest blocks into ranges of one request each, the newest first. */
export function* listBlockRanges(newestBlock: bigint, blockCount: number): Generator<BlockRange> {
  const end = newestBlock - BigInt(blockCount);
  const beforeOldest = end < -1n ? -1n : end;
  for (let toBlock = newestBlock; toBlock > beforeOldest; toBlock -= MAX_BLOCKS) {
    const before = toBlock - MAX_BLOCKS;
    yield { fromBlock: (before > beforeOldest ? before : beforeOldest) + 1n, toBlock };
  }
}
