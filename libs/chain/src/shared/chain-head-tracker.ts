/** A node that was not heard of for long may have missed this much, whatever the block time. */
const SLACK_BLOCKS = 100n;
/** Assumed where the block time is not known: faster than almost every chain. */
const MIN_BLOCK_TIME_MS = 100;
/** So long the best block is held against nodes that do not reach it: a chain can go back. */
const BEST_BLOCK_TTL_MS = 30_000;
/** Good nodes of a chain with several blocks a second differ by more than a few of them, and answers travel, too. */
const MIN_LAG_MS = 2_000;
/** A newest block that is older than so many block times and so many milliseconds is not the newest. */
const STALE_AFTER_BLOCKS = 20;
const MIN_STALE_MS = 120_000;

/** A block number and when it was heard, on the clock of `performance.now()`. */
export interface ObservedBlock {
  readonly blockNumber: bigint;
  readonly observedAt: number;
}

export interface ChainHeadTrackerOptions {
  /** Milliseconds; unset or 0: not known. */
  readonly blockTime?: number;
  /** Unset: there is nothing to compare with. */
  readonly maxLagBlocks?: bigint;
  /** Whether the chain makes a block every block time, with or without transactions. */
  readonly hasFixedBlockTime: boolean;
}

/** Blocks that a node may be behind: as many as configured, and at least those of two seconds. */
export function toMaxLagBlocks(maxLagBlocks: number, blockTime: number | undefined): bigint {
  return BigInt(Math.max(maxLagBlocks, blockTime ? Math.ceil(MIN_LAG_MS / blockTime) : 0));
}

/** How far one chain is, as far as its nodes have told. */
export class ChainHeadTracker {
  private best: ObservedBlock | undefined;
  /** Milliseconds after which the newest block is too old; unset: nothing can be said. */
  private readonly staleMs: number | undefined;

  constructor(private readonly options: ChainHeadTrackerOptions) {
    const { blockTime, hasFixedBlockTime } = options;
    if (hasFixedBlockTime && blockTime) this.staleMs = Math.max(STALE_AFTER_BLOCKS * blockTime, MIN_STALE_MS);
  }

  /** Whether the age of the newest block tells a node that is stuck. */
  get canDetectStuckNode(): boolean {
    return this.staleMs !== undefined;
  }

  /** The best block that some node has told of lately: what an answer to a question of this moment has to reach. */
  getBestBlockNumber(now: number): bigint | undefined {
    return this.best && now - this.best.observedAt < BEST_BLOCK_TTL_MS ? this.best.blockNumber : undefined;
  }

  isLagging(block: bigint, best: bigint | undefined): boolean {
    const { maxLagBlocks } = this.options;
    return maxLagBlocks !== undefined && best !== undefined && block + maxLagBlocks < best;
  }

  /** Whether a newest block of that age, in milliseconds, means a node that is stuck, even where there is no other. */
  isStale(ageMs: number): boolean {
    return this.staleMs !== undefined && ageMs > this.staleMs;
  }

  /** Whether one node can have come from one block to the other; if not, it may have become a node of another chain. */
  isPlausibleAdvance(from: ObservedBlock, to: ObservedBlock): boolean {
    const { blockTime = 0 } = this.options;
    const blockMs = blockTime > 0 ? blockTime : MIN_BLOCK_TIME_MS;
    const most = BigInt(Math.ceil(((to.observedAt - from.observedAt) / blockMs) * 10)) + SLACK_BLOCKS;
    return to.blockNumber <= from.blockNumber + most && to.blockNumber + SLACK_BLOCKS >= from.blockNumber;
  }

  recordBlock({ blockNumber, observedAt }: ObservedBlock): void {
    const best = this.getBestBlockNumber(observedAt);
    if (best === undefined || blockNumber >= best) this.best = { blockNumber, observedAt };
  }
}
