import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import { hexToBigInt, keccak256 } from 'viem/utils';
import type { ChainLease } from '../leases/chain-lease.repository.js';
import type { SignerClient } from '../../key-vault/signer-client.js';
import type { ExecutorTransactionRepository } from './executor-transaction.repository.js';
import { findReverter, type Reverter } from '../bundles/find-reverter.js';
import type { Head } from './load-head.js';
import { sendRawTransaction } from './send-raw-transaction.js';
import type {
  MinedTransaction,
  TransactionVariant,
  UsedTransaction,
  WaitingTransaction,
} from './stored-transaction.js';
import { bumpFees, loadTransactionFees } from './transaction-fees.js';

/** Bounds what one transaction may cost: fees of 1.1 ^ 24, tenfold. */
const MAX_VARIANTS = 25;

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
  private readonly rejected = new Map<string, string>();

  constructor(
    private readonly transactions: ExecutorTransactionRepository,
    private readonly signer: SignerClient,
    private readonly logger: Logger,
    private readonly limits: { readonly confirmations: number; readonly bumpBlocks: number },
  ) {}

  /** @returns the transactions that wait to be mined */
  async track(options: TrackerOptions): Promise<readonly WaitingTransaction[]> {
    const { client, head, lease } = options;
    const nextNonce = await client.getTransactionCount({ address: lease.name as Address });
    const finalBlock = head.number - BigInt(this.limits.confirmations) + 1n;
    for (const transaction of await this.transactions.findUsed(lease, { nextNonce, finalBlock }))
      await this.followUsed(options, transaction);
    const waiting = await this.transactions.findWaiting(lease, nextNonce);
    for (const transaction of waiting) await this.followWaiting(options, transaction, waiting[0]);
    return waiting;
  }

  /** Sends a stored variant. */
  async send(
    { client, head }: TrackerOptions,
    variant: TransactionVariant,
  ): Promise<'sent' | 'unsent' | 'underpriced'> {
    const result = await sendRawTransaction(client, variant.raw);
    if (result.outcome === 'sent') this.sentAt.set(variant.hash, head.hash);
    if (result.outcome !== 'rejected') return result.outcome;
    if (this.rejected.get(variant.hash) !== result.reason)
      this.logger.warn(
        { transactionHash: variant.hash, reason: result.reason },
        'a node does not accept the transaction of an executor; retrying at the next poll',
      );
    this.rejected.set(variant.hash, result.reason);
    return 'unsent';
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
    // The others wait for the first.
    const isOverdue = head.number - newest.blockNumber >= BigInt(this.limits.bumpBlocks);
    // One bump for each block, in case that a node refuses the fees for another reason.
    const isUnderpriced =
      outcome === 'underpriced' && (newest.number === 1 || head.number > newest.blockNumber);
    if (isUnderpriced || (transaction === first && outcome === 'sent' && isOverdue))
      await this.bump(options, transaction, newest);
  }

  /** Same nonce and same operations with higher fees: at most one of the variants is mined. */
  private async bump(
    options: TrackerOptions,
    { id, nonce, entryPoint, data, gas, variants }: WaitingTransaction,
    newest: TransactionVariant,
  ): Promise<void> {
    if (variants.length >= MAX_VARIANTS) return;
    const { client, head, lease } = options;
    const fees = bumpFees(newest, await loadTransactionFees(client, head.baseFeePerGas ?? 0n));
    const executor = lease.name as Address;
    const { chainId } = lease;
    const request = { executor, chainId, nonce, entryPoint, data, gas, ...fees };
    const raw = await this.signer.signExecutorTransaction(request);
    const number = newest.number + 1;
    const variant = { raw, hash: keccak256(raw), ...fees, number, blockNumber: head.number };
    await this.transactions.addVariant(lease, id, variant);
    await this.send(options, variant);
  }

  private async followUsed({ client, head }: TrackerOptions, transaction: UsedTransaction): Promise<void> {
    const { id, state, hashes } = transaction;
    const isDeep = (block: bigint): boolean => head.number - block + 1n >= BigInt(this.limits.confirmations);
    const mined = await findMined(client, hashes);
    if (!mined) {
      const since = this.missingSince.get(id) ?? head.number;
      this.missingSince.set(id, since);
      if (isDeep(since) && state === 'pending') await this.transactions.markReplaced(id);
      return;
    }
    this.missingSince.delete(id);
    for (const hash of hashes) this.rejected.delete(hash);
    if (state === 'pending' && mined.isReverted) {
      const reverter = await this.findReverter(client, id, mined);
      const { transactionHash } = mined;
      const found = { transactionHash, sender: reverter?.sender, reason: reverter?.reason };
      this.logger.warn(found, 'a bundle reverted on the chain');
      await this.transactions.markReverted(id, mined, reverter);
    } else await this.transactions.markMined(id, mined);
    if (!isDeep(mined.blockNumber)) return;
    await this.transactions.markFinal(id);
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

/** The variant that was mined. Its logs are many, so the receipt is not decoded. */
async function findMined(
  client: PublicClient,
  hashes: readonly Hex[],
): Promise<(MinedTransaction & { readonly isReverted: boolean }) | undefined> {
  for (const hash of hashes.toReversed()) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (!receipt) continue;
    const { transactionHash, blockNumber, status } = receipt;
    return { transactionHash, blockNumber: hexToBigInt(blockNumber), isReverted: status === '0x0' };
  }
  return undefined;
}
