import { SECOND_MS } from '@app/common';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import type { ClaimedOperation } from '../bundles/claimed-operation.js';
import type { OperationQueue } from '../operation-queue.js';
import type { ChainLease } from '../chain-lease.repository.js';
import { hashUserOperation } from '../../../evm/operations/hash-user-operation.js';
import type { BundlerClientService } from './bundler-client.service.js';
import type { BundlerSubmissionRepository } from './bundler-submission.repository.js';

const CONCURRENCY = 8;
/** The same loop follows operations, and the lease lasts three times as long, so a bundler that hangs delays both by no more than this and three requests. */
const MAX_ROUND_MS = 5 * SECOND_MS;
/** First sends leave time for re-sends, however many there are. Requests of the last group may end later, so each round re-sends a group at least. */
const MAX_FIRST_MS = 3 * SECOND_MS;

/** Sends signed operations of one chain to a bundler, one of each lane at a time: bundlers refuse nonces of the future. */
export class BundlerSender {
  private lastFailure: string | undefined;

  constructor(
    private readonly url: string,
    private readonly queue: OperationQueue,
    private readonly submissions: BundlerSubmissionRepository,
    private readonly bundlers: BundlerClientService,
    private readonly logger: Logger,
  ) {}

  async sendDue(client: PublicClient, lease: ChainLease): Promise<void> {
    const claimed = await this.queue.claim(lease.chainId);
    const lanes = new Set<string>();
    const first = claimed.filter(({ lane }) => !lanes.has(lane) && lanes.add(lane));
    await this.queue.release(claimed.filter((one) => !first.includes(one)).map(({ id }) => id));
    const start = performance.now();
    const isAfter = (ms: number) => (): boolean => performance.now() > start + ms;
    try {
      if (first.length > 0) await this.sendFirst(client, lease, first, isAfter(MAX_FIRST_MS));
    } finally {
      await this.sendAgain(lease.chainId, isAfter(MAX_ROUND_MS));
    }
  }

  private async sendAgain(chainId: number, isOver: () => boolean): Promise<void> {
    do {
      const group = await this.submissions.claimResends(chainId, CONCURRENCY);
      if (group.length === 0) return;
      await Promise.all(group.map((operation) => this.send(operation, chainId)));
    } while (!isOver());
  }

  /** A slow bundler delays the others of a group only. Operations of groups that do not begin any more are due again. */
  private async sendFirst(
    client: PublicClient,
    lease: ChainLease,
    operations: readonly ClaimedOperation[],
    isOver: () => boolean,
  ): Promise<void> {
    let left = operations;
    try {
      const blockNumber = await client.getBlockNumber();
      while (left.length > 0 && !isOver()) {
        const group = left.slice(0, CONCURRENCY);
        left = left.slice(CONCURRENCY);
        await Promise.all(
          group.map(async (operation) => {
            if (await this.submissions.submit(lease, operation.id, blockNumber)) await this.send(operation);
          }),
        );
      }
    } finally {
      await this.queue.release(left.map(({ id }) => id));
    }
  }

  /**
   * @param resentOn the chain, if the bundler was sent the operation before. Skandha and Voltaire refuse bytes that they hold as a replacement
   * without higher fees, or as invalid fields, so a refusal counts only if the bundler does not know the operation.
   */
  private async send(operation: ClaimedOperation, resentOn?: number): Promise<void> {
    const result = await this.bundlers.send(this.url, operation);
    if (
      result.outcome === 'sent' ||
      (result.outcome === 'refused' && resentOn !== undefined && (await this.isKnown(operation, resentOn)))
    ) {
      this.lastFailure = undefined;
      await this.submissions.clearRefusal(operation.id);
      return;
    }
    if (result.outcome === 'refused') {
      const { reason } = result;
      if (await this.submissions.keepRefusal(operation.id, result))
        this.logger.info({ operationId: operation.id, reason }, 'the bundler refuses a user operation');
      return;
    }
    if (this.lastFailure !== result.reason)
      this.logger.warn({ reason: result.reason }, 'the bundler is not available; operations are sent again');
    this.lastFailure = result.reason;
    await this.submissions.resendSoon(operation.id, result.reason);
  }

  private isKnown({ version, operation }: ClaimedOperation, chainId: number): Promise<boolean> {
    return this.bundlers.knows(this.url, hashUserOperation(version, chainId, operation));
  }
}
