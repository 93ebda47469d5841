import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import { keccak256 } from 'viem/utils';
import { encodeHandleOps } from '../../evm/operations/encode-handle-ops.js';
import type { ChainLease } from '../leases/chain-lease.repository.js';
import type { SignerClient } from '../../key-vault/signer-client.js';
import type { ExecutorTransactionRepository } from './executor-transaction.repository.js';
import { EMPTY_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import { findReverter, type Reverter } from '../bundles/find-reverter.js';
import type { Head } from './load-head.js';
import { findMined } from './find-mined.js';
import type { RefusedTransactionRepository } from './refused-transaction.repository.js';
import { sendRawTransaction, type SendResult } from './send-raw-transaction.js';
import type {
  MinedTransaction,
  TransactionVariant,
  UsedTransaction,
  WaitingTransaction,
} from './stored-transaction.js';
import {
  bumpFees,
  type FeeLimitSettings,
  loadTransactionFees,
  replaceFees,
  toFeeLimit,
  type TransactionFees,
} from './transaction-fees.js';
import type { TransactionMetrics } from './transaction-metrics.js';

/** Bounds what one transaction may cost: fees of 1.1 ^ 24, tenfold. */
const MAX_VARIANTS = 25;
/** A transaction that every node refuses gives its nonce up after these blocks, if as long as `MIN_REFUSED_MS` has passed, too. */
const MIN_REFUSED_BLOCKS = 20n;

export interface TrackerSettings extends FeeLimitSettings {
  readonly confirmations: number;
  readonly bumpBlocks: number;
}

interface TrackerOptions {
  readonly client: PublicClient;
  readonly head: Head;
  readonly lease: ChainLease;
}

/** Follows the stored transactions of executors until they are final: sends them, again if needed, with higher fees if needed. */
export class TransactionTracker {
  /** The newest block when this instance last sent a variant, by its hash. */
  private readonly sentAt = new Map<Hex, Hex>();
  /** Since when a nonce has been used without a receipt of ours, by transaction id. */
  private readonly missingSince = new Map<string, bigint>();
  private readonly reasons = new Map<string, string>();
  /** The newest block when a bump was held back last, by transaction id. */
  private readonly heldAt = new Map<string, Hex>();

  constructor(
    private readonly transactions: ExecutorTransactionRepository,
    private readonly refusals: RefusedTransactionRepository,
    private readonly signer: SignerClient,
    private readonly logger: Logger,
    private readonly metrics: TransactionMetrics,
    private readonly settings: TrackerSettings,
  ) {}

  /** @returns the transactions that wait to be mined, without those that no node has */
  async track(options: TrackerOptions): Promise<readonly WaitingTransaction[]> {
    const { client, head, lease } = options;
    const nextNonce = await client.getTransactionCount({ address: lease.name as Address });
    const finalBlock = head.number - BigInt(this.settings.confirmations) + 1n;
    for (const transaction of await this.transactions.findUsed(lease, { nextNonce, finalBlock }))
      await this.followUsed(options, transaction);
    const waiting = await this.transactions.findWaiting(lease, nextNonce);
    for (const transaction of waiting) await this.followWaiting(options, transaction, waiting[0]);
    return waiting.filter(({ refusedSinceBlock }) => refusedSinceBlock === null);
  }

  /** Sends the first variant of a transaction that was just stored. @returns whether every node refuses it */
  async sendFirst(options: TrackerOptions, id: string, variant: TransactionVariant): Promise<boolean> {
    const isRefused = (await this.send(options, variant)) === 'refused';
    if (isRefused) await this.refusals.markRefused(id, options.head.number);
    return isRefused;
  }

  private async send(
    { client, head }: TrackerOptions,
    variant: TransactionVariant,
  ): Promise<SendResult['outcome']> {
    const result = await sendRawTransaction(client, variant.raw);
    if (result.outcome === 'sent') this.sentAt.set(variant.hash, head.hash);
    if (!('reason' in result)) return result.outcome;
    if (this.reasons.get(variant.hash) !== result.reason)
      this.logger.warn(
        { transactionHash: variant.hash, reason: result.reason },
        'a node does not accept the transaction of an executor; retrying at the next poll',
      );
    this.reasons.set(variant.hash, result.reason);
    return result.outcome;
  }

  private async followWaiting(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    first: WaitingTransaction | undefined,
  ): Promise<void> {
    const { head } = options;
    if (transaction.state === 'mined') await this.transactions.markPending(transaction.id);
    const newest = transaction.variants.at(-1);
    if (!newest) return;
    // Once for each block: nodes drop transactions that wait, and those of blocks that a reorganisation has removed.
    const isDue = this.sentAt.get(newest.hash) !== head.hash;
    const outcome = isDue ? await this.send(options, newest) : 'sent';
    if (!newest.isEmpty && (await this.followRefusal(options, transaction, outcome))) return;
    // The others wait for the first.
    const isOverdue = head.number - newest.blockNumber >= BigInt(this.settings.bumpBlocks);
    // One bump for each block, in case that a node refuses the fees for another reason.
    const isUnderpriced =
      outcome === 'underpriced' && (newest.number === 1 || head.number > newest.blockNumber);
    if (isUnderpriced || (transaction === first && outcome === 'sent' && isOverdue))
      await this.bump(options, transaction, newest);
  }

  /** Keeps since when every node has refused a transaction; after long enough its nonce is taken. @returns whether it is */
  private async followRefusal(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    outcome: SendResult['outcome'],
  ): Promise<boolean> {
    const { id, refusedSinceBlock, isRefusedForLong } = transaction;
    const { number } = options.head;
    if (outcome === 'refused' && refusedSinceBlock === null) await this.refusals.markRefused(id, number);
    // A node that does not answer proves nothing.
    if (refusedSinceBlock === null || outcome === 'waiting') return false;
    if (outcome !== 'refused') {
      await this.refusals.markAccepted(id);
      return false;
    }
    if (!isRefusedForLong || number - refusedSinceBlock < MIN_REFUSED_BLOCKS) return false;
    await this.takeNonce(options, transaction);
    return true;
  }

  /**
   * Lets later nonces go on: a variant without operations, dearer than all others. A node that has an older variant may still mine that
   * one instead; either is executed, never both.
   */
  private async takeNonce(options: TrackerOptions, transaction: WaitingTransaction): Promise<void> {
    const { nonce, variants } = transaction;
    const { client, head } = options;
    const current = await loadTransactionFees(client, head.baseFeePerGas ?? 0n);
    const ceiling = this.settings.maxFeePerGas;
    const withinCeiling = {
      maxFeePerGas: current.maxFeePerGas < ceiling ? current.maxFeePerGas : ceiling,
      maxPriorityFeePerGas: current.maxPriorityFeePerGas < ceiling ? current.maxPriorityFeePerGas : ceiling,
    };
    this.logger.error(
      { nonce, transactionHash: variants.at(-1)?.hash },
      'every node refuses a transaction of an executor; an empty one takes its nonce',
    );
    await this.addVariant(options, transaction, replaceFees(variants, withinCeiling), true);
  }

  /** Same nonce and same operations with higher fees: at most one of the variants is mined. */
  private async bump(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    newest: TransactionVariant,
  ): Promise<void> {
    const { id, nonce, gas, variants, paidMaxFee, paidPriorityFee } = transaction;
    if (variants.length >= MAX_VARIANTS) return;
    const { client, head, lease } = options;
    const paid =
      paidMaxFee === null || paidPriorityFee === null || newest.isEmpty
        ? undefined
        : { maxFeePerGas: paidMaxFee, maxPriorityFeePerGas: paidPriorityFee };
    const current = await loadTransactionFees(client, head.baseFeePerGas ?? 0n);
    const fees = bumpFees(newest, current, toFeeLimit(paid, gas, this.settings));
    if (fees) {
      await this.addVariant(options, transaction, fees, newest.isEmpty);
      return;
    }
    if (this.heldAt.get(id) === head.hash) return;
    this.metrics.countHeldBump(lease.chainId);
    if (!this.heldAt.has(id))
      this.logger.warn(
        { nonce, transactionHash: newest.hash, maxFeePerGas: String(newest.maxFeePerGas) },
        'the fees of a transaction are not raised: its operations would not pay them back',
      );
    this.heldAt.set(id, head.hash);
  }

  /** Stores a variant, then sends it. */
  private async addVariant(
    options: TrackerOptions,
    { id, nonce, entryPoint, data, gas, variants }: WaitingTransaction,
    fees: TransactionFees,
    isEmpty: boolean,
  ): Promise<void> {
    const { head, lease } = options;
    const executor = lease.name as Address;
    const call = isEmpty
      ? { data: encodeHandleOps('0.8', [], executor), gas: EMPTY_TRANSACTION_GAS }
      : { data, gas };
    const request = { executor, chainId: lease.chainId, nonce, entryPoint, ...call, ...fees };
    const raw = await this.signer.signExecutorTransaction(request);
    const number = (variants.at(-1)?.number ?? 0) + 1;
    const variant = { raw, hash: keccak256(raw), ...fees, number, blockNumber: head.number, isEmpty };
    await this.transactions.addVariant(lease, id, variant);
    await this.send(options, variant);
  }

  private async followUsed(
    { client, head, lease }: TrackerOptions,
    transaction: UsedTransaction,
  ): Promise<void> {
    const { id, state, hashes, emptyHashes } = transaction;
    const isDeep = (block: bigint): boolean =>
      head.number - block + 1n >= BigInt(this.settings.confirmations);
    const mined = await findMined(client, hashes);
    if (!mined) {
      const since = this.missingSince.get(id) ?? head.number;
      this.missingSince.set(id, since);
      if (isDeep(since) && state === 'pending') await this.transactions.markReplaced(id);
      return;
    }
    this.missingSince.delete(id);
    this.heldAt.delete(id);
    for (const hash of hashes) this.reasons.delete(hash);
    const isEmpty = emptyHashes.includes(mined.transactionHash);
    if (state === 'pending' && mined.isReverted && !isEmpty) {
      const reverter = await this.findReverter(client, id, mined);
      const { transactionHash } = mined;
      const found = { transactionHash, sender: reverter?.sender, reason: reverter?.reason };
      this.logger.warn(found, 'a bundle reverted on the chain');
      await this.transactions.markReverted(id, mined, reverter);
    } else await this.transactions.markMined(id, mined);
    if (!isDeep(mined.blockNumber)) return;
    const isNew = isEmpty ? await this.refusals.returnOperations(id) : await this.transactions.markFinal(id);
    if (isNew) this.metrics.countFinal(lease.chainId, mined);
    for (const hash of hashes) this.sentAt.delete(hash);
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
      this.logger.warn(
        { err: error },
        'it is not known which operation reverted a bundle; each goes alone next',
      );
      return undefined;
    }
  }
}
