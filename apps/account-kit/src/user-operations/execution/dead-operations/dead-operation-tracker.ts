import { SECOND_MS } from '@app/common';
import type { Database } from '@app/database';
import { ItemFailures } from '@app/service';
import type { Logger } from 'pino';
import type { Hash, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { packNonce } from '../../../evm/operations/user-operation.js';
import { type EventLogReader, SearchBudget } from '../inclusion/event-log-reader.js';
import { NonceEventSearch } from '../inclusion/nonce-event-search.js';
import { createReceiptLoader, toInclusionRecord } from '../inclusion/to-inclusion-record.js';
import type { OperationStateRepository } from '../operation-state.repository.js';
import { ApplicationFairQueue } from './application-fair-queue.js';
import { CANCELLATION_CAUSES } from './cancellation-causes.js';
import { type DoubtfulOperation, findCancellationCause, findDoubtful } from './lanes.queries.js';

/** Operations that are looked at in one block. */
const MAX_CHECKED = 50;
/** Operations are sent by the same loop, which waits no longer than this for nodes that answer slowly. */
const MAX_ROUND_MS = 5 * SECOND_MS;

/** A block at the confirmation depth of a node. */
interface Depth {
  readonly node: ChainNode;
  readonly blockNumber: bigint;
  readonly blockHash: Hash;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly budget: SearchBudget;
}

/**
 * Ends operations that can never be executed, with proof: at the confirmation depth their nonce is used, and the event of that nonce has
 * another hash; or the nonce is not used, and their sponsor's signature has ended. A log that is not found proves nothing, and where there
 * are further nodes, no more of them may deny what ends an operation than confirm it.
 */
export class DeadOperationTracker {
  private lastHead: bigint | undefined;
  private readonly queue = new ApplicationFairQueue();
  private readonly failures: ItemFailures;
  private readonly events: NonceEventSearch;

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    reader: EventLogReader,
    private readonly chainId: number,
    private readonly confirmations: number,
    logger: Logger,
  ) {
    this.events = new NonceEventSearch(reader);
    this.failures = new ItemFailures(logger, 'a dead operation stays unsettled');
  }

  /** Looks at some operations, once for each block. An operation that fails is left for later, and the next one is looked at. */
  async track(pinNode: () => Promise<ChainNode>): Promise<void> {
    const doubtful = await findDoubtful(this.database, this.chainId, this.queue, MAX_CHECKED);
    if (doubtful.length === 0) return;
    const node = await pinNode();
    const { client, head } = node;
    const blockNumber = head.number - BigInt(this.confirmations) + 1n;
    if (head.number === this.lastHead || blockNumber < 0n) return;
    const { timestamp, hash: blockHash } = await client.getBlock({ blockNumber });
    const depth = { node, blockNumber, blockHash, timestamp, budget: new SearchBudget() };
    const end = performance.now() + MAX_ROUND_MS;
    // A search that did not end goes on at the next poll, after those of other applications.
    const isOver = () => performance.now() > end || depth.budget.isSpent;
    await this.queue.take(doubtful, isOver, (operation) =>
      this.failures.guard(operation.id, () => this.check(operation, depth)),
    );
    this.lastHead = depth.budget.isSpent ? undefined : head.number;
  }

  private async check(operation: DoubtfulOperation, depth: Depth): Promise<void> {
    const { id, validUntil } = operation;
    if (await isUsed(depth.node.client, operation, depth.blockNumber)) {
      await this.settleUsed(operation, depth);
      return;
    }
    const isExpired = validUntil !== null && depth.timestamp * 1_000n > BigInt(validUntil.getTime());
    if (!isExpired || !(await depth.node.hasHead())) return;
    await checkConfirmed(depth, async (client) => !(await isUsed(client, operation, depth.blockNumber)));
    // The nonce is free: the next operation of the lane takes it, or a cancellation if later ones wait (LaneGapTracker).
    await this.states.markDead(id, 'expired', 'the signature of the sponsor has ended');
  }

  /** The event of the nonce tells which operation has used it. */
  private async settleUsed(operation: DoubtfulOperation, depth: Depth): Promise<void> {
    const { id, hash } = operation;
    const { node, blockNumber, budget } = depth;
    const found = await this.events.find(node, operation, blockNumber, budget);
    if (found === 'incomplete') return;
    if (!found) throw new Error('the nonce of the operation is used, and the node has no event of the nonce');
    await checkConfirmed(depth, (client) => this.events.hasEvent(client, operation, found));
    if (found.hash === hash) {
      const record = await toInclusionRecord(createReceiptLoader(node.client), hash, found);
      await this.states.markIncluded([{ id, record }]);
      return;
    }
    const cause = await findCancellationCause(this.database, id);
    const reason = cause === undefined ? 'another operation has used the nonce' : CANCELLATION_CAUSES[cause];
    await this.states.markDead(id, 'rejected', reason);
  }
}

/** Asks further nodes to confirm what ends an operation. @throws Error if they disagree */
async function checkConfirmed(
  { node, blockNumber, blockHash }: Depth,
  confirm: (client: PublicClient) => Promise<boolean>,
): Promise<void> {
  if (!(await node.isSettled({ number: blockNumber, hash: blockHash }, confirm)))
    throw new Error('nodes of the chain disagree about the nonce of the operation');
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
