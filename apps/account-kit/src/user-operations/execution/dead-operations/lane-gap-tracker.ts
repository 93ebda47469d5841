import type { Database } from '@app/database';
import { ItemFailures } from '@app/service';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import { packNonce } from '../../../evm/operations/user-operation.js';
import { ApplicationFairQueue } from './application-fair-queue.js';
import type { CancellationService } from './cancellation.service.js';
import { findLaneGaps, type LaneGap } from './lanes.queries.js';

const INTERVAL_MS = 2_000;
/** Operations are sent by the same loop, which waits no longer than this for nodes that answer slowly. */
const MAX_ROUND_MS = 5_000;
/** Gaps that are looked at together. */
const MAX_GAPS = 50;

/**
 * Fills nonces that no operation has: one that was rejected before it was signed leaves its nonce, and later operations of its lane, which
 * are signed, wait for it. The next operation of the lane takes the nonce, and without one a cancellation does.
 */
export class LaneGapTracker {
  private nextLookAt = 0;
  private readonly queue = new ApplicationFairQueue();
  private readonly failures: ItemFailures;

  constructor(
    private readonly database: Database,
    private readonly cancellations: CancellationService,
    private readonly chainId: number,
    logger: Logger,
  ) {
    this.failures = new ItemFailures(logger, 'a gap in a lane of an account stays');
  }

  async track(client: PublicClient): Promise<void> {
    const now = performance.now();
    if (now < this.nextLookAt) return;
    this.nextLookAt = now + INTERVAL_MS;
    const found = await findLaneGaps(this.database, this.chainId, this.queue, MAX_GAPS);
    // A gap that cannot be filled keeps no other gap from being filled.
    await this.queue.take(
      found,
      () => performance.now() > now + MAX_ROUND_MS,
      (gap) => this.failures.guard(gap.id, () => this.fill(client, gap), gap.clientIds),
    );
  }

  /** A nonce that is used on the chain is no gap: the account may have been used without this service. */
  private async fill(client: PublicClient, gap: LaneGap): Promise<void> {
    const { version, sender, nonceKey: key, nonceSequence: sequence } = gap;
    const next = await client.readContract({
      address: ACCOUNT_CONTRACTS[version].entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [sender, key],
    });
    if (next <= packNonce({ key, sequence })) await this.cancellations.fill(gap);
  }
}
