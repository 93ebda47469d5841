import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { CallResult } from '../reads/read-result.js';

interface CachedResult {
  readonly kind: 'data';
  readonly data: string;
  readonly blockNumber: bigint;
  /** The time at which the call's batch was sent, by `performance.now()`: the result is at least that new. */
  readonly requestedAt: number;
}

/** Hex digits; return data that a read can decode is shorter (abi-codec.ts). */
const MAX_DATA_DIGITS = 2_048;

/**
 * Caches call results at the newest block of one chain. A result expires `maxAgeMs` after its request and when a newer block
 * is seen, so it is never older than one block time (contract.md section 5). Reverts and failures are not cached.
 */
export class CallResultCache {
  private readonly results: LRUCache<string, CachedResult>;
  private newestBlock = -1n;
  private newestBlockSeenAt = 0;

  constructor(
    private readonly maxAgeMs: number,
    maxEntries = 20_000,
  ) {
    this.results = new LRUCache(boundEntries(maxEntries));
  }

  get(key: string, now: number): CallResult | undefined {
    const cached = this.results.get(key);
    return cached !== undefined && now - cached.requestedAt < this.maxAgeMs ? cached : undefined;
  }

  /**
   * @param keys and `results` of one batch, in the same order
   * @param isPinned whether the reads name their block, which then says nothing about the newest one
   */
  store(
    keys: readonly string[],
    results: readonly CallResult[],
    requestedAt: number,
    isPinned = false,
  ): void {
    if (!isPinned)
      for (const result of results)
        if (result.kind !== 'failed') this.recordBlock(result.blockNumber, requestedAt);
    results.forEach((result, index) => {
      const key = keys[index];
      if (key === undefined || result.kind !== 'data' || result.blockNumber !== this.newestBlock) return;
      if (result.data.length === 0 || result.data.length > MAX_DATA_DIGITS) return;
      this.results.set(key, {
        kind: 'data',
        data: copyText(result.data),
        blockNumber: this.newestBlock,
        requestedAt,
      });
    });
  }

  /** Ignores an older block, which comes from a lagging node, unless the newest is so old that the chain was rolled back. */
  private recordBlock(block: bigint | undefined, requestedAt: number): void {
    if (block === undefined || block === this.newestBlock) return;
    if (block < this.newestBlock && requestedAt - this.newestBlockSeenAt < this.maxAgeMs) return;
    this.newestBlock = block;
    this.newestBlockSeenAt = requestedAt;
    this.results.clear();
  }
}

/** A slice of a batch response would keep the whole response in memory. */
function copyText(digits: string): string {
  return Buffer.from(digits, 'latin1').toString('latin1');
}
