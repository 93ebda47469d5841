import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import { formatErrorReason } from '@app/common';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { packNonce } from '../../evm/operations/user-operation.js';
import type { CancellationService } from './cancellation.service.js';
import type { LaneGap, LaneGapRepository } from './lane-gap.repository.js';

const INTERVAL_MS = 2_000;

/**
 * Fills nonces that no operation has: one that was rejected before it was signed leaves its nonce, and later operations of its lane, which
 * are signed, wait for it. The next operation of the lane takes the nonce, and without one a cancellation does.
 */
export class LaneGapTracker {
  private nextLookAt = 0;

  constructor(
    private readonly gaps: LaneGapRepository,
    private readonly cancellations: CancellationService,
    private readonly chainId: number,
    private readonly logger: Logger,
  ) {}

  async track(client: PublicClient): Promise<void> {
    const now = performance.now();
    if (now < this.nextLookAt) return;
    this.nextLookAt = now + INTERVAL_MS;
    // One that fails does not keep the others from being filled.
    for (const gap of await this.gaps.find(this.chainId))
      await this.fill(client, gap).catch((error: unknown) => {
        const reason = formatErrorReason(error);
        this.logger.warn({ operationId: gap.laterId, reason }, 'a gap in a lane of an account stays');
      });
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
