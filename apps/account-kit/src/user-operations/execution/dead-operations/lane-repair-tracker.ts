import { AppError, SECOND_MS } from '@app/common';
import type { Database } from '@app/database';
import { ItemFailures } from '@app/service';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import { loadAccountState } from '../../../evm/estimation/load-account-state.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import type { Head } from '../transactions/transaction-fees.js';
import { ApplicationFairQueue } from './application-fair-queue.js';
import type { CancellationCause } from './cancellation-causes.js';
import type { CancellationService } from './cancellation.service.js';
import { findLaneRepairs, markUnderpriced, type WaitingOperation } from './lanes.queries.js';

/** Operations that are looked at in one block. */
const MAX_CHECKED = 50;
/** Operations are sent by the same loop, which waits no longer than this for nodes that answer slowly. */
const MAX_ROUND_MS = 5 * SECOND_MS;

/**
 * Cancels operations that cannot run, when reads of our own confirm why, or when a bundler has had them for an hour: what a bundler answers
 * proves nothing. Replaces cancellations that cannot run. Cancels what has lapsed, or is of a frozen application, where another operation
 * waits for its nonce or was refused because of it.
 */
export class LaneRepairTracker {
  private lastHead: bigint | undefined;
  private readonly queue = new ApplicationFairQueue();
  private readonly failures: ItemFailures;

  constructor(
    private readonly database: Database,
    private readonly cancellations: CancellationService,
    private readonly chainId: number,
    private readonly confirmations: number,
    private readonly isAtBundler: boolean,
    logger: Logger,
  ) {
    this.failures = new ItemFailures(logger, 'an operation that cannot run is not cancelled');
  }

  /** Looks at some operations, once for each block. Where some waited at the last look, the head is asked for before they are listed. */
  async track(pinNode: () => Promise<ChainNode>): Promise<void> {
    if (this.lastHead !== undefined && (await pinNode()).head.number === this.lastHead) return;
    const waiting = await findLaneRepairs(this.database, this.chainId, this.queue, MAX_CHECKED);
    if (waiting.length === 0) {
      this.lastHead = undefined;
      return;
    }
    const { client, head } = await pinNode();
    const end = performance.now() + MAX_ROUND_MS;
    await this.queue.take(
      waiting,
      () => performance.now() > end,
      (operation) =>
        this.failures.guard(operation.id, () => this.check(client, operation, head), operation.clientIds),
    );
    this.lastHead = head.number;
  }

  private async check(client: PublicClient, operation: WaitingOperation, head: Head): Promise<void> {
    const { id, cancels, clientIds } = operation;
    const cause = await this.findCause(client, operation, head);
    if (cause === undefined) return;
    const request = cancels === null ? { cause, clientIds } : { cause: cancels, clientIds, replacedId: id };
    await this.cancellations.repair(id, request).catch((error: unknown) => {
      // The operation has moved on since it was read.
      if (error instanceof AppError && error.details['code'] === 'operation_conflict') return;
      throw error;
    });
  }

  /** @returns why the operation cannot run, or undefined if it may */
  private async findCause(
    client: PublicClient,
    operation: WaitingOperation,
    head: Head,
  ): Promise<CancellationCause | undefined> {
    const { id, sender, version, nonceKey, nonceSequence, deploysAccount, cancels } = operation;
    const state = await loadAccountState(client, { sender, version, nonceKey });
    // The nonce is used, or an earlier operation of the lane comes first. Executors send cancellations of several nonces together.
    const canFollow = operation.givenUp !== null && state.isDeployed && !this.isAtBundler;
    if (state.nextSequence > nonceSequence || (state.nextSequence < nonceSequence && !canFollow))
      return undefined;
    const blockNumber = head.number - BigInt(this.confirmations) + 1n;
    const hasCode = async () => {
      const code = blockNumber < 0n ? undefined : await client.getCode({ address: sender, blockNumber });
      return code !== undefined && code !== '0x';
    };
    if (deploysAccount && (await hasCode())) return 'deployed';
    // A reorganisation has removed the account that the cancellation counts on.
    if (cancels !== null && !deploysAccount && !state.isDeployed && !(await hasCode())) return 'lane';
    if (operation.givenUp !== null) return operation.givenUp;
    // Own executors simulate what they send, also what a bundler was sent before the chain lost it.
    if (!this.isAtBundler || !operation.isAtBundler) return undefined;
    const isUnderpriced = operation.maxFeePerGas < (head.baseFeePerGas ?? 0n);
    if (isUnderpriced !== operation.isMarkedUnderpriced)
      await markUnderpriced(this.database, id, isUnderpriced);
    if (isUnderpriced && operation.isUnderpriced) return 'underpriced';
    if (cancels !== null) return operation.isOverdue ? 'lane' : undefined;
    if (await this.isUnfunded(client, operation, state.funds, blockNumber)) return 'unfunded';
    return operation.isLate ? 'late' : undefined;
  }

  /** Whether the account could not pay at the confirmation depth, and cannot now. */
  private async isUnfunded(
    client: PublicClient,
    { sender, version, isSponsored, maxGasCost }: WaitingOperation,
    funds: bigint,
    blockNumber: bigint,
  ): Promise<boolean> {
    if (isSponsored || funds >= maxGasCost || blockNumber < 0n) return false;
    const [balance, deposit] = await Promise.all([
      client.getBalance({ address: sender, blockNumber }),
      client.readContract({
        address: ACCOUNT_CONTRACTS[version].entryPoint,
        abi: entryPoint08Abi,
        functionName: 'balanceOf',
        args: [sender],
        blockNumber,
      }),
    ]);
    return balance + deposit < maxGasCost;
  }
}
