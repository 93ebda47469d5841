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

/** Operations that are looked at in one block. */
const MAX_CHECKED = 50;
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

  constructor(
    private readonly operations: DeadOperationRepository,
    private readonly tracked: TrackedOperationRepository,
    private readonly cancellations: CancellationService,
    private readonly chainId: number,
    private readonly confirmations: number,
  ) {}

  /** Looks at some operations, once for each block. */
  async track(client: PublicClient, loadHead: () => Promise<Head>): Promise<void> {
    const doubtful = await this.operations.findDoubtful(this.chainId, this.lastId, MAX_CHECKED);
    const isLast = doubtful.length < MAX_CHECKED;
    if (doubtful.length === 0) {
      this.lastId = FIRST_ID;
      return;
    }
    const head = await loadHead();
    const blockNumber = head.number - BigInt(this.confirmations) + 1n;
    if (head.number === this.lastHead || blockNumber < 0n) return;
    const { timestamp } = await client.getBlock({ blockNumber });
    for (const operation of doubtful) await this.check(client, operation, { head, blockNumber, timestamp });
    this.lastHead = head.number;
    this.lastId = isLast ? FIRST_ID : (doubtful.at(-1)?.id ?? FIRST_ID);
  }

  private async check(client: PublicClient, operation: DoubtfulOperation, depth: Depth): Promise<void> {
    const { id, validUntil, kind, state } = operation;
    const isNonceUsed = await isUsed(client, operation, depth.blockNumber);
    const isExpired = validUntil !== null && depth.timestamp * 1_000n > BigInt(validUntil.getTime());
    if (!isNonceUsed && !isExpired) return;
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
