import { LRUCache } from 'lru-cache';
import { type CallResult } from './call-result.js';

interface CachedResult {
  readonly kind: 'data';
  readonly data: string;
  readonly blockNumber: bigint;
  /** When its batch was sent: the answer is at least that new. On the clock of `performance.now()`. */
  readonly askedAt: number;
}

/** Nothing that a read can decode is longer (decode-answer.ts); hex digits. */
const MAX_DATA_DIGITS = 2_048;

/**
 * What the newest block of one chain answered. An answer is given out again for at most `maxAgeMs` after it was asked
 * for, and never after an answer of a newer block came: so it is never older than one block time (contract.md section 5).
 * Only return data is kept; reverts and failures are asked again.
 */
export class CallResultCache {
  private readonly kept: LRUCache<string, CachedResult>;
  private block = -1n;
  private blockSeenAt = 0;

  constructor(
    private readonly maxAgeMs: number,
    maxAnswers = 20_000,
  ) {
    this.kept = new LRUCache({ max: maxAnswers });
  }

  get(key: string, now: number): CallResult | undefined {
    const kept = this.kept.get(key);
    return kept !== undefined && now - kept.askedAt < this.maxAgeMs ? kept : undefined;
  }

  /** `keys` and `answers` of one batch, in the same order. */
  store(keys: readonly string[], answers: readonly CallResult[], askedAt: number): void {
    for (const answer of answers) if (answer.kind !== 'failed') this.see(answer.blockNumber, askedAt);
    answers.forEach((answer, index) => {
      const key = keys[index];
      if (key === undefined || answer.kind !== 'data' || answer.blockNumber !== this.block) return;
      if (answer.data.length === 0 || answer.data.length > MAX_DATA_DIGITS) return;
      this.kept.set(key, { kind: 'data', data: copyText(answer.data), blockNumber: this.block, askedAt });
    });
  }

  /** An older block comes from a node that is late, unless nothing newer was seen for so long that the chain went back. */
  private see(block: bigint | undefined, askedAt: number): void {
    if (block === undefined || block === this.block) return;
    if (block < this.block && askedAt - this.blockSeenAt < this.maxAgeMs) return;
    this.block = block;
    this.blockSeenAt = askedAt;
    this.kept.clear();
  }
}

/** A slice of a batch's answer would keep the whole of it in memory. */
function copyText(digits: string): string {
  return Buffer.from(digits, 'latin1').toString('latin1');
}
