import { type Address } from '../codec/abi-encode.js';

/**
 * Where Multicall3 stands on one node. A node that has nothing there is lent its code by state override, but only for a
 * while: it may have been late or misconfigured just then, and state override costs four kilobytes a question.
 */
export class Multicall3Deployment {
  private lentUntil = -Infinity;

  constructor(
    /** Unset: the chain has none. */
    private readonly deployed: Address | undefined,
    private readonly lendMs: number,
  ) {}

  /** Undefined: it has to be brought along. `now` is on the clock of `performance.now()`. */
  getAddress(now: number): Address | undefined {
    return now < this.lentUntil ? undefined : this.deployed;
  }

  markMissing(now: number): void {
    this.lentUntil = now + this.lendMs;
  }
}
