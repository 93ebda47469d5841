/** A node that was not heard of for long may have missed this much, whatever the block time. */
const slackBlocks = 100n;
/** Assumed where the block time is not known: faster than almost every chain. */
const shortestBlockMs = 100;
/** So long the best block is held against nodes that do not reach it: a chain can go back. */
const bestLastsMs = 30_000;
/** Good nodes of a chain with several blocks a second differ by more than a few of them, and answers travel, too. */
const leastLagMs = 2_000;
/** A newest block that is older than so many block times and so many milliseconds is not the newest. */
const staleBlocks = 20;
const leastStaleMs = 120_000;

/** A block number and when it was heard, on the clock of `performance.now()`. */
export interface SeenBlock {
  readonly block: bigint;
  readonly at: number;
}

export interface ChainHeightOptions {
  /** Milliseconds; unset or 0: not known. */
  readonly blockTime?: number;
  /** Unset: there is nothing to compare with. */
  readonly maxLagBlocks?: bigint;
  /** Whether the chain makes a block every block time, with or without transactions. */
  readonly steady: boolean;
}

/** Blocks that a node may be behind: as many as configured, and at least those of two seconds. */
export function lagOf(maxLagBlocks: number, blockTime: number | undefined): bigint {
  return BigInt(Math.max(maxLagBlocks, blockTime ? Math.ceil(leastLagMs / blockTime) : 0));
}

/** How far one chain is, as far as its nodes have told. */
export class ChainHeight {
  private best: SeenBlock | undefined;
  /** Milliseconds after which the newest block is too old; unset: nothing can be said. */
  private readonly staleMs: number | undefined;

  constructor(private readonly options: ChainHeightOptions) {
    const { blockTime, steady } = options;
    if (steady && blockTime) this.staleMs = Math.max(staleBlocks * blockTime, leastStaleMs);
  }

  /** Whether the age of the newest block tells a node that is stuck. */
  get asksTime(): boolean {
    return this.staleMs !== undefined;
  }

  /** The best block that some node has told of lately: what an answer to a question of this moment has to reach. */
  bestAt(now: number): bigint | undefined {
    return this.best && now - this.best.at < bestLastsMs ? this.best.block : undefined;
  }

  isBehind(block: bigint, best: bigint | undefined): boolean {
    const { maxLagBlocks } = this.options;
    return maxLagBlocks !== undefined && best !== undefined && block + maxLagBlocks < best;
  }

  /** Whether a newest block of that age, in milliseconds, means a node that is stuck, even where there is no other. */
  isStale(ageMs: number): boolean {
    return this.staleMs !== undefined && ageMs > this.staleMs;
  }

  /** Whether one node can have come from one block to the other; if not, it may have become a node of another chain. */
  isPlausible(from: SeenBlock, to: SeenBlock): boolean {
    const { blockTime = 0 } = this.options;
    const blockMs = blockTime > 0 ? blockTime : shortestBlockMs;
    const most = BigInt(Math.ceil(((to.at - from.at) / blockMs) * 10)) + slackBlocks;
    return to.block <= from.block + most && to.block + slackBlocks >= from.block;
  }

  saw({ block, at }: SeenBlock): void {
    const best = this.bestAt(at);
    if (best === undefined || block >= best) this.best = { block, at };
  }
}
