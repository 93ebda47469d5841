import { SECOND_MS } from '@app/common';
import type { Logger } from 'pino';
import type { PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { packNonce } from '../../evm/operations/user-operation.js';
import { findEventBackwards } from '../inclusion/find-event-backwards.js';
import { createReceiptLoader, toInclusionRecord } from '../inclusion/to-inclusion-record.js';
import type { TrackedOperationRepository } from '../inclusion/tracked-operation.repository.js';
import type { Head } from '../transactions/load-head.js';
import type { CancellationService } from './cancellation.service.js';
import type { DeadOperationRepository, DoubtfulOperation } from './dead-operation.repository.js';
import { ItemFailures } from './item-failures.js';

/** Operations that are looked at in one block. */
const MAX_CHECKED = 50;
/** Operations are sent by the same loop, which waits no longer than this for nodes that answer slowly. */
const MAX_ROUND_MS = 5 * SECOND_MS;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Depth {
  readonly head: Head;
  readonly blockNumber: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
}

/**
 * Ends operations that can never be executed, with proof: at the confirmation depth their nonce is used or their sponsor's signature
 * has ended, and no event has their hash.
 */
export class DeadOperationTracker {
  private lastHead: bigint | undefined;
  private lastId = FIRST_ID;
  private readonly failures: ItemFailures;

  constructor(
    private readonly operations: DeadOperationRepository,
    private readonly tracked: TrackedOperationRepository,
    private readonly cancellations: CancellationService,
    private readonly chainId: number,
    private readonly confirmations: number,
    logger: Logger,
  ) {
    this.failures = new ItemFailures(logger, 'a dead operation stays unsettled');
  }

  /** Looks at some operations, once for each block. An operation that fails is left for later, and the next one is looked at. */
  async track(client: PublicClient, loadHead: () => Promise<Head>): Promise<void> {
    const doubtful = await this.operations.findDoubtful(this.chainId, this.lastId, MAX_CHECKED);
    if (doubtful.length === 0) {
      this.lastId = FIRST_ID;
      return;
    }
    const head = await loadHead();
    const blockNumber = head.number - BigInt(this.confirmations) + 1n;
    if (head.number === this.lastHead || blockNumber < 0n) return;
    const { timestamp } = await client.getBlock({ blockNumber });
    const depth = { head, blockNumber, timestamp };
    const end = performance.now() + MAX_ROUND_MS;
    let checked = 0;
    for (const operation of doubtful) {
      if (performance.now() > end) break;
      await this.failures.guard(operation.id, () => this.check(client, operation, depth));
      checked += 1;
    }
    this.lastHead = head.number;
    const isLast = checked === doubtful.length && doubtful.length < MAX_CHECKED;
    this.lastId = isLast ? FIRST_ID : (doubtful[checked - 1]?.id ?? this.lastId);
  }

  private async check(client: PublicClient, operation: DoubtfulOperation, depth: Depth): Promise<void> {
    const { id, validUntil, kind, state, isFrozen } = operation;
    const isNonceUsed = await isUsed(client, operation, depth.blockNumber);
    const isExpired = validUntil !== null && depth.timestamp * 1_000n > BigInt(validUntil.getTime());
    if (!isNonceUsed && !isExpired) return;
    // What expires needs a cancellation, which is signed when the freeze has ended.
    if (!isNonceUsed && isFrozen) return;
    const found = await findEventBackwards(client, operation, depth.head.number);
    // Without a complete search there is no proof.
    if (found === 'incomplete') return;
    if (found) {
      const record = await toInclusionRecord(createReceiptLoader(client), operation.hash, found);
      await this.tracked.markIncluded([{ id, record }]);
      return;
    }
    if (state === 'submitted') await this.operations.returnSubmitted(id);
    if (isNonceUsed) {
      await this.operations.markDead(id, 'rejected', 'another operation has used the nonce');
      return;
    }
    // Later operations of the lane need the nonce to be used. This comes first, so that a failure repeats it.
    if (kind !== 'cancellation') await this.cancellations.cancel(id);
    await this.operations.markDead(id, 'expired', 'the signature of the sponsor has ended');
  }
}

async function isUsed(
  client: PublicClient,
  { version, sender, nonceKey: key, nonceSequence }: DoubtfulOperation,
  blockNumber: bigint,
): Promise<boolean> {
  const nonce = await client.readContract({
    address: ACCOUNT_CONTRACTS[version].entryPoint,
    abi: entryPoint08Abi,
    functionName: 'getNonce',
    args: [sender, key],
    blockNumber,
  });
  return nonce > packNonce({ key, sequence: nonceSequence });
}
