import type { Logger } from 'pino';
import type { Address, PublicClient, Hex, Log } from 'viem';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { findReverter, type Reverter } from '../bundles/find-reverter.js';
import type { ChainLease } from '../chain-lease.repository.js';
import type { ExecutorTransactionRepository } from './executor-transaction.repository.js';
import type { Head } from './transaction-fees.js';
import type { MinedTransaction, UsedTransaction } from './stored-transaction.js';
import type { TransactionMetrics } from './transaction-metrics.js';
import { hexToBigInt, slice, toEventSelector } from 'viem/utils';
import { USER_OPERATION_EVENT } from '../../../evm/operations/parse-user-operation-events.js';

/**
 * Asks further nodes whether the nonce of a transaction is used, and by which variant. What is settled is never sent again: if one node alone
 * could settle it, it would leave a gap before all later nonces of the executor.
 */
class UsedTransactionProof {
  /** Transactions of which other nodes say something else, by id. */
  private readonly disputed = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly confirmations: number,
  ) {}

  /** @param mined the variant that is mined; undefined if somebody else's transaction took the nonce */
  async isConfirmed(
    node: ChainNode,
    executor: Address,
    transaction: UsedTransaction,
    mined?: MinedOutcome,
  ): Promise<boolean> {
    const { id, nonce } = transaction;
    const isConfirmed = await this.isKnown(node, executor, transaction, mined);
    if (!isConfirmed && !this.disputed.has(id))
      this.logger.error(
        { executor, nonce, transactionHash: mined?.transactionHash },
        'nodes of the chain disagree about a transaction of an executor; it is followed further',
      );
    if (isConfirmed) this.disputed.delete(id);
    else this.disputed.add(id);
    return isConfirmed;
  }

  /**
   * Whether further nodes have the outcome by now. They are asked for what they know of the newest block, so a node that is a block behind
   * denies it for that long.
   */
  async isKnown(
    node: ChainNode,
    executor: Address,
    { nonce, hashes }: UsedTransaction,
    mined?: MinedOutcome,
  ): Promise<boolean> {
    const depth = node.head.number - BigInt(this.confirmations) + 1n;
    const block = await node.client.getBlock({ blockNumber: depth < 0n ? 0n : depth });
    return node.isConfirmed(block, async (client) => {
      if ((await client.getTransactionCount({ address: executor })) <= nonce) return false;
      const found = await findMined(client, hashes);
      return found?.transactionHash === mined?.transactionHash && found?.isReverted === mined?.isReverted;
    });
  }
}

interface UsedOptions {
  readonly client: PublicClient;
  readonly node: ChainNode;
  readonly head: Head;
  readonly lease: ChainLease;
}

interface UsedEvents {
  /** A node has a receipt of a variant. */
  readonly onMined: (transaction: UsedTransaction) => void;
  readonly onFinal: (transaction: UsedTransaction) => void;
}

/** Settles the transactions of executors whose nonces are used: mined, reverted or replaced, and final at the confirmation depth. */
export class UsedTransactionTracker {
  /** The block since which a nonce has been used without a receipt of ours, by transaction id. */
  private readonly missingSince = new Map<string, bigint>();
  private readonly proof: UsedTransactionProof;

  constructor(
    private readonly transactions: ExecutorTransactionRepository,
    private readonly logger: Logger,
    private readonly metrics: TransactionMetrics,
    private readonly confirmations: number,
    private readonly events: UsedEvents,
  ) {
    this.proof = new UsedTransactionProof(logger, confirmations);
  }

  async follow(options: UsedOptions, transaction: UsedTransaction): Promise<void> {
    const { client, head, lease, node } = options;
    const { id, state, hashes, emptyHashes } = transaction;
    const executor = lease.name as Address;
    const isDeep = (block: bigint): boolean => head.number - block + 1n >= BigInt(this.confirmations);
    const mined = await findMined(client, hashes);
    if (!mined) {
      const since = this.missingSince.get(id) ?? head.number;
      this.missingSince.set(id, since);
      if (isDeep(since) && state === 'pending' && (await this.proof.isConfirmed(node, executor, transaction)))
        await this.transactions.markReplaced(id);
      return;
    }
    this.missingSince.delete(id);
    this.events.onMined(transaction);
    const isEmpty = emptyHashes.includes(mined.transactionHash);
    if (state === 'pending' && mined.isReverted && !isEmpty) {
      // A strike counts for good. One node could invent three reverts, after which an operation waits for an hour.
      if (!(await this.isRevertKnown(options, transaction, mined))) return;
      const reverter = await this.findReverter(client, id, mined);
      const { transactionHash } = mined;
      const found = { transactionHash, sender: reverter?.sender, reason: reverter?.reason };
      this.logger.warn(found, 'a bundle reverted on the chain');
      await this.transactions.markReverted(id, mined, reverter);
    } else await this.transactions.markMined(id, mined);
    if (!isDeep(mined.blockNumber)) return;
    if (!(await this.proof.isConfirmed(node, executor, transaction, mined))) return;
    const isNew = isEmpty
      ? await this.transactions.returnOperations(id)
      : await this.transactions.markFinal(id);
    if (isNew) this.metrics.countFinal(lease.chainId, mined);
    this.events.onFinal(transaction);
  }

  /** A node that is behind denies a revert until it has the block, so only what is denied at the confirmation depth is logged. */
  private isRevertKnown(
    { node, head, lease }: UsedOptions,
    transaction: UsedTransaction,
    mined: MinedOutcome & MinedTransaction,
  ): Promise<boolean> {
    const isDeep = head.number - mined.blockNumber + 1n >= BigInt(this.confirmations);
    const executor = lease.name as Address;
    return isDeep
      ? this.proof.isConfirmed(node, executor, transaction, mined)
      : this.proof.isKnown(node, executor, transaction, mined);
  }

  /** A node that has no old states names nobody, and must not keep the transaction from being settled. */
  private async findReverter(
    client: PublicClient,
    id: string,
    { blockNumber }: MinedTransaction,
  ): Promise<Reverter | undefined> {
    const executed = await this.transactions.loadExecuted(id, blockNumber);
    try {
      return await findReverter(client, executed, blockNumber);
    } catch (error) {
      const message = 'it is not known which operation reverted a bundle; each goes alone next';
      this.logger.warn({ err: error }, message);
      return undefined;
    }
  }
}

/** The outcome of a transaction, about which nodes have to agree before it is settled. */
interface MinedOutcome extends Pick<MinedTransaction, 'transactionHash'> {
  readonly isReverted: boolean;
}

interface ExecutedTransaction extends MinedTransaction, MinedOutcome {
  /** What the executor paid, in wei. */
  readonly cost: bigint;
  /** What the operations paid to the executor, in wei. */
  readonly reimbursed: bigint;
}

const EVENT_TOPIC = toEventSelector(USER_OPERATION_EVENT);
/** `nonce`, `success`, `actualGasCost`, `actualGasUsed`. */
const GAS_COST = { start: 64, end: 96 };

/** The variant that was mined. Its logs are many, so nothing is decoded but what the operations paid. */
async function findMined(
  client: PublicClient,
  hashes: readonly Hex[],
): Promise<ExecutedTransaction | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (!receipt) continue;
    const { transactionHash, blockNumber, status, gasUsed, effectiveGasPrice, logs, to } = receipt;
    const payments = logs.filter(
      ({ address, topics }) => address.toLowerCase() === to?.toLowerCase() && topics[0] === EVENT_TOPIC,
    );
    return {
      transactionHash,
      blockNumber: hexToBigInt(blockNumber),
      isReverted: status === '0x0',
      cost: hexToBigInt(gasUsed) * hexToBigInt(effectiveGasPrice),
      reimbursed: payments.reduce((sum, log) => sum + readGasCost(log), 0n),
    };
  }
  return undefined;
}

const readGasCost = ({ data }: Pick<Log, 'data'>): bigint =>
  hexToBigInt(slice(data, GAS_COST.start, GAS_COST.end));
