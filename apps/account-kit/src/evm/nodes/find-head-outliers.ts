import { SECOND_MS } from '@app/common';

/** Newest block of a node. */
export interface KnownHead {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
}

export interface HeadRule {
  /** Blocks that nodes of one chain may differ by. */
  readonly maxLag: bigint;
  readonly blockTimeMs: number;
}

/** Faster than the blocks of chains whose block time is not known. */
const UNKNOWN_BLOCK_TIME_MS = 250;
/** The local chain makes blocks on demand, each at least a second after the one before. */
const ON_DEMAND_BLOCK_TIME_MS = SECOND_MS;
/** Chains are sometimes faster than their block time. */
const SPEED_MARGIN = 2;

/** @param blockTimeMs that of the registry: 0 for blocks on demand */
export const toHeadRule = (maxLag: bigint, blockTimeMs: number | undefined): HeadRule => ({
  maxLag,
  blockTimeMs: blockTimeMs === undefined ? UNKNOWN_BLOCK_TIME_MS : blockTimeMs || ON_DEMAND_BLOCK_TIME_MS,
});

/**
 * Whether a chain can have a block although the node with this head has not: the node may be behind by the blocks that the chain has made
 * since the head.
 */
export function isExplained(
  head: KnownHead,
  blockNumber: bigint,
  { maxLag, blockTimeMs }: HeadRule,
  now = Date.now(),
): boolean {
  const ageMs = Math.max(0, now - Number(head.timestamp) * SECOND_MS);
  return blockNumber <= head.number + maxLag + BigInt(Math.ceil((SPEED_MARGIN * ageMs) / blockTimeMs));
}

/**
 * Finds nodes whose head is further above that of every other node than time explains: they are broken, or lie. A single node has nobody to
 * be compared with, and of two nodes that both lie about their blocks nothing can be told.
 * @returns indexes
 */
export function findHeadOutliers(
  heads: readonly (KnownHead | undefined)[],
  rule: HeadRule,
  now = Date.now(),
): ReadonlySet<number> {
  const outliers = new Set<number>();
  const highestFirst = heads
    .flatMap((head, index) => (head ? [{ head, index }] : []))
    .sort((a, b) => (a.head.number < b.head.number ? 1 : -1));
  for (const [place, { head, index }] of highestFirst.entries()) {
    const next = highestFirst[place + 1];
    if (!next || isExplained(next.head, head.number, rule, now)) break;
    outliers.add(index);
  }
  return outliers;
}
