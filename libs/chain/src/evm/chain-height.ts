/** A node that was not heard of for long may have missed this much, whatever the block time. */
const slackBlocks = 100n;
/** Assumed where the block time is not known: faster than almost every chain. */
const shortestBlockMs = 100;
/** So long the best block is held against nodes that do not reach it: a chain can go back. */
const bestLastsMs = 30_000;

/** A block number and when it was heard, on the clock of `performance.now()`. */
export interface SeenBlock {
  readonly block: bigint;
  readonly at: number;
}

/** How far one chain is, as far as its nodes have told. */
export class ChainHeight {
  private best: SeenBlock | undefined;

  constructor(
    private readonly blockTime: number | undefined,
    /** Unset: there is nothing to compare with. */
    private readonly maxLagBlocks: bigint | undefined,
  ) {}

  /** The best block that some node has told of lately: what an answer to a question of this moment has to reach. */
  bestAt(now: number): bigint | undefined {
    return this.best && now - this.best.at < bestLastsMs ? this.best.block : undefined;
  }

  isBehind(block: bigint, best: bigint | undefined): boolean {
    return this.maxLagBlocks !== undefined && best !== undefined && block + this.maxLagBlocks < best;
  }

  /** Whether one node can have come from one block to the other; if not, it may have become a node of another chain. */
  isPlausible(from: SeenBlock, to: SeenBlock): boolean {
    const blockMs = this.blockTime && this.blockTime > 0 ? this.blockTime : shortestBlockMs;
    const most = BigInt(Math.ceil(((to.at - from.at) / blockMs) * 10)) + slackBlocks;
    return to.block <= from.block + most && to.block + slackBlocks >= from.block;
  }

  saw({ block, at }: SeenBlock): void {
    const best = this.bestAt(at);
    if (best === undefined || block >= best) this.best = { block, at };
  }
}
