import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { ClaimedOperation } from '../bundles/claimed-operation.js';
import type { OperationClaimRepository } from '../bundles/operation-claim.repository.js';
import type { ChainLease } from '../leases/chain-lease.repository.js';
import type { BundlerClientService } from './bundler-client.service.js';
import type { BundlerSubmissionRepository } from './bundler-submission.repository.js';

const CONCURRENCY = 8;

/** Sends signed operations of one chain to a bundler, one of each lane at a time: bundlers refuse nonces of the future. */
export class BundlerSender {
  private lastFailure: string | undefined;

  constructor(
    private readonly url: string,
    private readonly claims: OperationClaimRepository,
    private readonly submissions: BundlerSubmissionRepository,
    private readonly bundlers: BundlerClientService,
    private readonly logger: Logger,
  ) {}

  async sendDue(client: PublicClient, lease: ChainLease): Promise<void> {
    const claimed = await this.claims.claim(lease.chainId);
    const lanes = new Set<string>();
    const first = claimed.filter(({ lane }) => !lanes.has(lane) && lanes.add(lane));
    await this.claims.release(claimed.filter((one) => !first.includes(one)).map(({ id }) => id));
    if (first.length > 0) {
      const blockNumber = await client.getBlockNumber();
      await inGroups(first, async (operation) => {
        if (await this.submissions.submit(lease, operation.id, blockNumber)) await this.send(operation);
      });
    }
    await inGroups(await this.submissions.claimResends(lease.chainId), (operation) => this.send(operation));
  }

  private async send(operation: ClaimedOperation): Promise<void> {
    const result = await this.bundlers.send(this.url, operation);
    if (result.outcome === 'sent') {
      this.lastFailure = undefined;
      await this.submissions.clearRefusal(operation.id);
      return;
    }
    if (result.outcome === 'refused') {
      const { reason } = result;
      if (await this.submissions.keepRefusal(operation.id, reason))
        this.logger.info({ operationId: operation.id, reason }, 'the bundler refuses a user operation');
      return;
    }
    if (this.lastFailure !== result.reason)
      this.logger.warn({ reason: result.reason }, 'the bundler is not available; operations are sent again');
    this.lastFailure = result.reason;
    await this.submissions.resendSoon(operation.id);
  }
}

/** A slow bundler delays the others of a group only. */
async function inGroups(
  operations: readonly ClaimedOperation[],
  work: (operation: ClaimedOperation) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < operations.length; from += CONCURRENCY)
    await Promise.all(operations.slice(from, from + CONCURRENCY).map(work));
}
