import { type EvmAddress } from '@app/dto';

/**
 * The address of Multicall3 on one node. While the node has no code there, requests inject it by state override; this
 * expires, because the node may have been out of sync, and the override adds four kilobytes to each request.
 */
export class Multicall3Deployment {
  private missingUntil = -Infinity;

  constructor(
    /** Unset: the chain has no deployment. */
    private readonly address: EvmAddress | undefined,
    private readonly overrideMs: number,
  ) {}

  /** Undefined: the request has to inject the code. `now` is from `performance.now()`. */
  getAddress(now: number): EvmAddress | undefined {
    return now < this.missingUntil ? undefined : this.address;
  }

  markMissing(now: number): void {
    this.missingUntil = now + this.overrideMs;
  }
}
