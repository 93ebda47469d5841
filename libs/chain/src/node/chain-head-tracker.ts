import { MINUTE_MS } from '@app/common';

/** Blocks that a node's number may move between two observations regardless of the block time. */
const SLACK_BLOCKS = 100n;
/** Assumed where the block time is unknown: shorter than on almost every chain. */
const MIN_BLOCK_TIME_MS = 100;
/** The best block expires after this, because a chain can be rolled back. */
const BEST_BLOCK_TTL_MS = 30_000;
/**
 * The least lag that counts: on chains with several blocks a second, healthy nodes differ by more blocks than a small
 * fixed limit.
 */
const MIN_LAG_MS = 2_000;
/** A newest block is stale if it is older than this many block times and MIN_STALE_MS. */
const STALE_AFTER_BLOCKS = 20;
const MIN_STALE_MS = 2 * MINUTE_MS;

/** A block number and when it was reported, by `performance.now()`. */
export interface ObservedBlock {
  readonly blockNumber: bigint;
  readonly observedAt: number;
}

interface ChainHeadTrackerOptions {
  /** Milliseconds; unset or 0 if unknown. */
  readonly blockTime?: number;
  /** The most blocks that a node may lag. Unset: nodes are not compared. */
  readonly maxLagBlocks?: bigint;
  /** Whether the chain produces a block every block time, with or without transactions. */
  readonly hasFixedBlockTime: boolean;
}

/** Blocks that a node may lag: the configured number, but at least the blocks of two seconds. */
export function toMaxLagBlocks(maxLagBlocks: number, blockTime: number | undefined): bigint {
  return BigInt(Math.max(maxLagBlocks, blockTime ? Math.ceil(MIN_LAG_MS / blockTime) : 0));
}

/** Tracks the newest block of one chain as reported by its nodes. */
export class ChainHeadTracker {
  private best: ObservedBlock | undefined;
  /** Milliseconds after which a newest block is stale; unset on chains without a fixed block time. */
  private readonly staleMs: number | undefined;

  constructor(private readonly options: ChainHeadTrackerOptions) {
    const { blockTime, hasFixedBlockTime } = options;
    if (hasFixedBlockTime && blockTime) this.staleMs = Math.max(STALE_AFTER_BLOCKS * blockTime, MIN_STALE_MS);
  }

  /** Whether the age of the newest block shows that a node is stuck. */
  get canDetectStuckNode(): boolean {
    return this.staleMs !== undefined;
  }

  /** Whether a result of one of several nodes needs the block number of another one, because none was reported lately. */
  needsSecondNode(now: number): boolean {
    return this.options.maxLagBlocks !== undefined && this.getBestBlockNumber(now) === undefined;
  }

  /** The highest block that a node reported lately: a request sent at `now` has to reach it. */
  getBestBlockNumber(now: number): bigint | undefined {
    return this.best && now - this.best.observedAt < BEST_BLOCK_TTL_MS ? this.best.blockNumber : undefined;
  }

  isLagging(block: bigint, best: bigint | undefined): boolean {
    const { maxLagBlocks } = this.options;
    return maxLagBlocks !== undefined && best !== undefined && block + maxLagBlocks < best;
  }

  /** Whether a newest block of that age, in milliseconds, means a stuck node. Works with a single node too. */
  isStale(ageMs: number): boolean {
    return this.staleMs !== undefined && ageMs > this.staleMs;
  }

  /** Whether one node can have moved from one block to the other; if not, the URL may now lead to another chain. */
  isPlausibleAdvance(from: ObservedBlock, to: ObservedBlock): boolean {
    const { blockTime = 0 } = this.options;
    const blockMs = blockTime > 0 ? blockTime : MIN_BLOCK_TIME_MS;
    const maxAdvance = BigInt(Math.ceil(((to.observedAt - from.observedAt) / blockMs) * 10)) + SLACK_BLOCKS;
    return (
      to.blockNumber <= from.blockNumber + maxAdvance && to.blockNumber + SLACK_BLOCKS >= from.blockNumber
    );
  }

  recordBlock({ blockNumber, observedAt }: ObservedBlock): void {
    const best = this.getBestBlockNumber(observedAt);
    if (best === undefined || blockNumber >= best) this.best = { blockNumber, observedAt };
  }
}

/** The clocks at the time when a node reported the timestamp of its newest block. */
interface BlockObservation {
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
