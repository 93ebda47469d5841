import { MINUTE_MS } from '@app/common';
import type { WatchedContract } from '@app/chain/evm';

/** Logs of one contract in a minute. A contract that emits more is polled. */
const MAX_LOGS_PER_MINUTE = 1_000;
/** Logs in a minute of all contracts for which one tenant alone has rules. */
const MAX_LOGS_PER_TENANT_AND_MINUTE = 10 * MAX_LOGS_PER_MINUTE;
/** Assumed where the time of blocks is not known. */
const DEFAULT_BLOCK_TIME_MS = 2_000;

/**
 * Bounds the logs that are followed, in minutes of the chain: as many blocks as it makes in one, so that logs that are read late count as those that
 * are read at once. Key: the contract, so that whoever makes a contract noisy harms its own rules only; and the tenant, so that many contracts of
 * one tenant do not take the processor from those of others. A contract of several tenants has its own budget only.
 */
export class LogBudget {
  private readonly blocksPerMinute: bigint;
  /** Logs by key, by minute. */
  private readonly minutes = new Map<bigint, Map<string, number>>();

  /** @param blockTime milliseconds between blocks; undefined or 0 where it is not known */
  constructor(blockTime: number | undefined) {
    const blockMs = blockTime === undefined || blockTime === 0 ? DEFAULT_BLOCK_TIME_MS : blockTime;
    this.blocksPerMinute = BigInt(Math.ceil(MINUTE_MS / blockMs));
  }

  /** Counts a log. @returns whether it is within the budgets of its contract and its tenant */
  take({ address, owner }: WatchedContract, block: bigint): boolean {
    const minute = block / this.blocksPerMinute;
    const counts = this.minutes.get(minute) ?? new Map<string, number>();
    this.minutes.set(minute, counts);
    if (!hasRoom(counts, address, MAX_LOGS_PER_MINUTE)) return false;
    return owner === undefined || hasRoom(counts, `tenant ${owner}`, MAX_LOGS_PER_TENANT_AND_MINUTE);
  }

  /** Forgets minutes that ended before a block, whose logs are not read again. */
  forgetBefore(block: bigint): void {
    for (const minute of this.minutes.keys())
      if ((minute + 1n) * this.blocksPerMinute <= block) this.minutes.delete(minute);
  }
}

function hasRoom(counts: Map<string, number>, key: string, max: number): boolean {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count <= max;
}
