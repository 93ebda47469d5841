import { MINUTE_MS } from '@app/common';
import { ItemFailures } from '@app/service';
import type { Logger } from 'pino';
import type { Address, Hex, PublicClient, Hash } from 'viem';
import { keccak256 } from 'viem/utils';
import { encodeHandleOps } from '../../../evm/operations/user-operation.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';
import { type ChainLease, LeaseLostError } from '../chain-lease.repository.js';
import type { SignerClient } from '../../../custody/signer-client.js';
import type { ExecutorTransactionRepository } from './executor-transaction.repository.js';
import { EMPTY_TRANSACTION_GAS } from '../../../evm/estimation/gas-costs.js';
import {
  type Head,
  bumpFees,
  type FeeLimitSettings,
  loadTransactionFees,
  replaceFees,
  toFeeLimit,
  toNextBaseFee,
  type TransactionFees,
} from './transaction-fees.js';
import { sendRawTransaction, type SendResult } from './send-raw-transaction.js';
import type { GiveUpReason, TransactionVariant, WaitingTransaction } from './stored-transaction.js';
import type { TransactionMetrics } from './transaction-metrics.js';
import { UsedTransactionTracker } from './used-transaction-tracker.js';

interface ConfirmedNonce {
  readonly head: Hash;
  readonly claimed: number;
  readonly confirmed: number;
}

/**
 * The next nonces of executors as far as nodes agree. A node that counts too many would end the re-sending of transactions that no block
 * has, so what one node alone counts is not believed where further nodes have its newest block.
 */
class ConfirmedNonces {
  private readonly last = new Map<Address, ConfirmedNonce>();

  /**
   * Asks further nodes once for each block.
   * @param claimed what the node says is next
   * @returns `claimed`, or the highest lower nonce that no more nodes deny than confirm
   */
  async confirm(node: ChainNode, executor: Address, claimed: number): Promise<number> {
    const { head } = node;
    const last = this.last.get(executor);
    if (last?.head === head.hash && last.claimed === claimed) return last.confirmed;
    const counts = new Map<PublicClient, Promise<number>>();
    const count = (client: PublicClient): Promise<number> => {
      const known = counts.get(client) ?? client.getTransactionCount({ address: executor });
      counts.set(client, known);
      return known;
    };
    let confirmed = claimed;
    while (!(await node.isConfirmed(head, async (client) => (await count(client)) >= confirmed))) {
      const settled = await Promise.allSettled(counts.values());
      const lower = settled.flatMap((one) =>
        one.status === 'fulfilled' && one.value < confirmed ? [one.value] : [],
      );
      // A node whose block has another hash denies without a count.
      confirmed = Math.max(0, ...lower);
      if (confirmed === 0) break;
    }
    this.last.set(executor, { head: head.hash, claimed, confirmed });
    return confirmed;
  }
}

/** Bounds what one transaction may cost: fees of 1.1 ^ 24, tenfold. */
const MAX_VARIANTS = 25;
/** A transaction that every node refuses, or that no block takes, gives its nonce up after these blocks and `MIN_GIVE_UP_MS`. */
const MIN_GIVE_UP_BLOCKS = 20n;

export interface TrackerSettings extends FeeLimitSettings {
  readonly confirmations: number;
  readonly bumpBlocks: number;
}

/** The chain on which transactions that wait are followed. */
interface TrackerOptions {
  readonly client: PublicClient;
  /** A client of all nodes of the chain, or of its private relay: nothing but transactions is sent to it. */
  readonly sender: PublicClient;
  readonly head: Head;
  readonly lease: ChainLease;
}

interface WaitingOptions extends TrackerOptions {
  /** The next nonce of the executor, as one node says. */
  readonly nextNonce: number;
}

interface TrackOptions extends Pick<TrackerOptions, 'sender' | 'lease'> {
  readonly node: ChainNode;
}

interface SentVariant {
  readonly newest: TransactionVariant;
  readonly outcome: SendResult['outcome'];
  /** The transactions of the executor that wait to be mined, by nonce. */
  readonly queue: readonly WaitingTransaction[];
}

/** Follows the stored transactions of executors until they are final: sends them, again if needed, with higher fees if needed. */
export class TransactionTracker {
  /** The newest block when nodes last took or refused a variant, by its hash. */
  private readonly sentAt = new Map<Hex, { readonly block: Hex; readonly outcome: 'sent' | 'refused' }>();
  private readonly used: UsedTransactionTracker;
  /** Variants that a node or relay took. */
  private readonly accepted = new Set<Hex>();
  private readonly failures: ItemFailures;
  private readonly waitingFailures: ItemFailures;
  private readonly nonces = new ConfirmedNonces();
  private readonly reasons = new Map<string, string>();
  /** The newest block when a bump was held back last, by transaction id. */
  private readonly heldAt = new Map<string, Hex>();
  /** The transaction of each executor with the lowest nonce, and the newest block when it became that. */
  private readonly firstSince = new Map<string, { readonly id: string; readonly block: bigint }>();

  constructor(
    private readonly transactions: ExecutorTransactionRepository,
    private readonly signer: SignerClient,
    private readonly logger: Logger,
    private readonly metrics: TransactionMetrics,
    private readonly settings: TrackerSettings,
  ) {
    this.used = new UsedTransactionTracker(transactions, logger, metrics, settings.confirmations, {
      onMined: ({ id, hashes }) => {
        this.heldAt.delete(id);
        for (const hash of hashes) this.reasons.delete(hash);
      },
      onFinal: ({ hashes }) => {
        for (const hash of hashes) {
          this.sentAt.delete(hash);
          this.accepted.delete(hash);
        }
      },
    });
    const failureOptions = { idField: 'transactionId', maxPauseMs: MINUTE_MS };
    this.failures = new ItemFailures(logger, 'a transaction of an executor is not settled', failureOptions);
    this.waitingFailures = new ItemFailures(
      logger,
      'a transaction of an executor is not followed',
      failureOptions,
    );
  }

  /** @returns the transactions that wait to be mined */
  async track(followed: TrackOptions): Promise<readonly WaitingTransaction[]> {
    const { lease, node } = followed;
    const { client, head } = node;
    const options = { ...followed, client, head };
    const nextNonce = await client.getTransactionCount({ address: lease.name as Address });
    const finalBlock = head.number - BigInt(this.settings.confirmations) + 1n;
    for (const transaction of await this.transactions.findUsed(lease, { nextNonce, finalBlock }))
      await this.failures.guard(transaction.id, () => this.used.follow(options, transaction));
    const confirmedNonce = await this.nonces.confirm(node, lease.name as Address, nextNonce);
    const nonces = { nextNonce, confirmedNonce };
    const waiting = await this.transactions.findWaiting(lease, nonces);
    const [first] = waiting;
    const since = this.firstSince.get(lease.name);
    if (first && since?.id !== first.id)
      this.firstSince.set(lease.name, { id: first.id, block: head.number });
    let lost: LeaseLostError | undefined;
    for (const transaction of waiting)
      await this.waitingFailures.guard(transaction.id, () =>
        this.followWaiting({ ...options, nextNonce }, transaction, waiting).catch((error: unknown) => {
          if (!(error instanceof LeaseLostError)) throw error;
          lost = error;
        }),
      );
    // Another instance follows them now.
    if (lost) throw lost;
    // Whichever node is right about a disputed transaction: the nodes get it again.
    for (const { id, variants } of await this.transactions.findDisputed(lease, nonces))
      await this.waitingFailures.guard(id, async () => {
        const newest = variants.at(-1);
        if (newest && this.sentAt.get(newest.hash)?.block !== head.hash) await this.send(options, newest);
      });
    return waiting;
  }

  /** Sends the first variant of a transaction that was just stored. @returns whether every node refuses it */
  async sendFirst(options: TrackerOptions, id: string, variant: TransactionVariant): Promise<boolean> {
    const isRefused = (await this.send(options, variant)) === 'refused';
    if (isRefused) await this.markRefused(options, id, variant);
    return isRefused;
  }

  private markRefused(
    { head }: TrackerOptions,
    id: string,
    { hash }: Pick<TransactionVariant, 'hash'>,
  ): Promise<void> {
    return this.transactions.markRefused(id, head.number, this.reasons.get(hash) ?? 'unknown');
  }

  private async send(
    { sender, head }: TrackerOptions,
    variant: TransactionVariant,
  ): Promise<SendResult['outcome']> {
    const result = await sendRawTransaction(sender, variant.raw);
    // A relay may refuse in its own words what it holds already. What it then does not send is `unmined` in the end.
    const isHeldByNode = result.outcome === 'refused' && this.accepted.has(variant.hash);
    const outcome = isHeldByNode ? 'sent' : result.outcome;
    if (outcome === 'sent') this.accepted.add(variant.hash);
    if (outcome === 'sent' || outcome === 'refused')
      this.sentAt.set(variant.hash, { block: head.hash, outcome });
    if (!('reason' in result)) return outcome;
    if (this.reasons.get(variant.hash) !== result.reason)
      this.logger.warn(
        { transactionHash: variant.hash, reason: result.reason },
        'a node does not accept the transaction of an executor; retrying',
      );
    this.reasons.set(variant.hash, result.reason);
    return outcome;
  }

  private async followWaiting(
    options: WaitingOptions,
    transaction: WaitingTransaction,
    queue: readonly WaitingTransaction[],
  ): Promise<void> {
    const { head } = options;
    const newest = transaction.variants.at(-1);
    if (!newest) return;
    if (transaction.state === 'mined') await this.transactions.markPending(transaction.id);
    // A transaction is sent once for each block: nodes drop transactions that wait, and those of blocks that a
    // reorganisation has removed.
    const sent = this.sentAt.get(newest.hash);
    const outcome = sent?.block === head.hash ? sent.outcome : await this.send(options, newest);
    if (!newest.isEmpty) {
      const reason = await this.findGiveUpReason(options, transaction, { newest, outcome, queue });
      if (reason) return this.takeNonce(options, transaction, reason);
    }
    // The others wait for the first, which may be the one after transactions that nodes disagree about.
    const isFirst =
      transaction === queue[0] || transaction === queue.find(({ nonce }) => nonce >= options.nextNonce);
    const isOverdue = head.number - newest.blockNumber >= BigInt(this.settings.bumpBlocks);
    // At most one bump a block, in case a node refuses the fees for another reason.
    const isUnderpriced =
      outcome === 'underpriced' && (newest.number === 1 || head.number > newest.blockNumber);
    if (isUnderpriced || (isFirst && outcome === 'sent' && isOverdue))
      await this.bump(options, transaction, newest);
  }

  private async findGiveUpReason(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    { newest, outcome, queue }: SentVariant,
  ): Promise<GiveUpReason | undefined> {
    const isRefused = await this.isProvenRefused(options, transaction, outcome);
    if (transaction.isExpiring) return 'expiring';
    if (isRefused) return 'refused';
    const { head, lease } = options;
    const since = this.firstSince.get(lease.name);
    // A held transaction has fees that were raised as far as its operations pay that back.
    const isHeld = this.heldAt.has(transaction.id) && since?.id === transaction.id;
    if (!isHeld || !transaction.isOld || head.number - since.block < MIN_GIVE_UP_BLOCKS) return undefined;
    if (outcome !== 'sent' && outcome !== 'underpriced') return undefined;
    const paysBaseFee = newest.maxFeePerGas >= toNextBaseFee(head.baseFeePerGas ?? 0n);
    if (paysBaseFee && outcome === 'sent') return 'unmined';
    return queue.length > 1 ? 'unpaid' : undefined;
  }

  /** Keeps since when every node has refused a transaction. @returns whether that is long enough ago */
  private async isProvenRefused(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    outcome: SendResult['outcome'],
  ): Promise<boolean> {
    const { id, refusedSinceBlock, isRefusedForLong, variants } = transaction;
    const { number } = options.head;
    const newest = variants.at(-1);
    if (outcome === 'refused' && refusedSinceBlock === null && newest)
      await this.markRefused(options, id, newest);
    // Nodes that do not answer prove nothing.
    if (refusedSinceBlock === null || outcome === 'waiting') return false;
    if (outcome !== 'refused') {
      await this.transactions.markAccepted(id);
      return false;
    }
    return isRefusedForLong && number - refusedSinceBlock >= MIN_GIVE_UP_BLOCKS;
  }

  /**
   * Lets later nonces go on: a variant without operations, dearer than all others. A node that has an older variant may still mine that
   * one instead; either is executed, never both.
   */
  private async takeNonce(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    reason: GiveUpReason,
  ): Promise<void> {
    const { nonce, variants } = transaction;
    const { client, head } = options;
    const current = await loadTransactionFees(client, head.baseFeePerGas ?? 0n);
    const ceiling = this.settings.maxFeePerGas;
    const withinCeiling = {
      maxFeePerGas: current.maxFeePerGas < ceiling ? current.maxFeePerGas : ceiling,
      maxPriorityFeePerGas: current.maxPriorityFeePerGas < ceiling ? current.maxPriorityFeePerGas : ceiling,
    };
    this.logger.error(
      { nonce, transactionHash: variants.at(-1)?.hash, reason },
      'the nonce of an executor is given up; an empty transaction takes it',
    );
    this.metrics.countGivenUp(options.lease.chainId, reason);
    await this.addVariant(options, transaction, replaceFees(variants, withinCeiling), reason);
  }

  /** Sends the same operations at the same nonce with higher fees: at most one of the variants is mined. */
  private async bump(
    options: TrackerOptions,
    transaction: WaitingTransaction,
    newest: TransactionVariant,
  ): Promise<void> {
    const { id, nonce, variants, paidMaxFee, paidPriorityFee } = transaction;
    const { client, head, lease } = options;
    const gas = newest.isEmpty ? EMPTY_TRANSACTION_GAS : transaction.gas;
    const paid =
      paidMaxFee === null || paidPriorityFee === null || newest.isEmpty
        ? undefined
        : { maxFeePerGas: paidMaxFee, maxPriorityFeePerGas: paidPriorityFee };
    const current = await loadTransactionFees(client, head.baseFeePerGas ?? 0n);
    const fees = bumpFees(newest, current, toFeeLimit(paid, gas, this.settings));
    if (fees && variants.length < MAX_VARIANTS) {
      this.heldAt.delete(id);
      await this.addVariant(options, transaction, fees);
      return;
    }
    if (this.heldAt.get(id) === head.hash) return;
    this.metrics.countHeldBump(lease.chainId);
    if (!this.heldAt.has(id))
      this.logger.warn(
        { nonce, transactionHash: newest.hash, maxFeePerGas: String(newest.maxFeePerGas) },
        'the fees of a transaction are not raised: its operations would not pay them back, or a limit is reached',
      );
    this.heldAt.set(id, head.hash);
  }

  /** Stores a variant, then sends it. @param givenUpFor why it is the first one without operations */
  private async addVariant(
    options: TrackerOptions,
    { id, nonce, entryPoint, data, gas, variants }: WaitingTransaction,
    fees: TransactionFees,
    givenUpFor?: GiveUpReason,
  ): Promise<void> {
    const { head, lease } = options;
    const isEmpty = givenUpFor !== undefined || variants.at(-1)?.isEmpty === true;
    const executor = lease.name as Address;
    const call = isEmpty
      ? { data: encodeHandleOps('0.8', [], executor), gas: EMPTY_TRANSACTION_GAS }
      : { data, gas };
    const request = { executor, chainId: lease.chainId, nonce, entryPoint, ...call, ...fees };
    const raw = await this.signer.signExecutorTransaction(request);
    const number = (variants.at(-1)?.number ?? 0) + 1;
    const variant = { raw, hash: keccak256(raw), ...fees, number, blockNumber: head.number, isEmpty };
    await this.transactions.addVariant(lease, id, variant, givenUpFor);
    await this.send(options, variant);
  }
}
