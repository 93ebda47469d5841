import { formatErrorReason } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { SignatureStatus } from '../nodes/solana-node.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import { toWire } from '../../solana-messages/transaction/to-wire.js';
import type { SolanaNetwork } from '../solana-network.js';
import { SignTransactionService } from './sign-transaction.service.js';
import { SolanaTransactionRepository } from './solana-transaction.repository.js';
import { isSigned, type SignedTransaction, type StoredTransaction } from './stored-transaction.js';

/** Blocks for which a blockhash is valid (`MAX_PROCESSING_AGE` of Solana's runtime). */
const MAX_BLOCKHASH_AGE = 150n;
const MAX_CONCURRENT = 8;

/** Takes transactions one step on: signs, sends, reads the status. On any doubt the same bytes are sent again. */
@Injectable()
export class SettleTransactionsService {
  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly nodes: SolanaNodesService,
    private readonly signing: SignTransactionService,
    private readonly context: ServiceContext,
  ) {}

  /** @param claimed at most 256 of one network */
  async settle(network: SolanaNetwork, claimed: readonly StoredTransaction[]): Promise<void> {
    if (claimed.length === 0) return;
    const finalizedHeight = await this.nodes.use(network, (node) => node.getBlockHeight('finalized'));
    const isOld = ({ acceptedBlockHeight }: StoredTransaction) =>
      finalizedHeight > acceptedBlockHeight + MAX_BLOCKHASH_AGE;
    await this.forEach(
      claimed.filter((transaction) => !isSigned(transaction)),
      async (transaction) => {
        if (isOld(transaction)) await this.transactions.markRejected(transaction.id, 'blockhash_expired');
        else await this.signing.sign(transaction);
      },
    );
    const signed = claimed.filter(isSigned);
    const statuses = await this.nodes.use(network, (node) =>
      node.getStatuses(signed.map(({ signature }) => signature)),
    );
    const found = signed.map((transaction, index) => ({ transaction, status: statuses[index] ?? null }));
    await this.forEach(found, async ({ transaction, status }) => {
      const landing = toLanding(status);
      if (landing) await this.recordLanding(transaction, landing);
      else if (status !== null || !isOld(transaction) || !(await this.expire(transaction)))
        await this.send(transaction);
    });
  }

  private async recordLanding(transaction: SignedTransaction, status: LandingStatus): Promise<void> {
    const { id, network, signature, state } = transaction;
    if (state !== 'included') await this.transactions.markIncluded(id, status);
    if (status.confirmationStatus !== 'finalized') return;
    const response = await this.nodes.use(network, (node) => node.getTransaction(signature, 'finalized'));
    // A node that is behind knows it a little later.
    if (response) await this.transactions.markFinal(id, status, response);
  }

  private async send(transaction: SignedTransaction): Promise<void> {
    if (await this.transactions.isFrozen(transaction.id)) return;
    if (transaction.state === 'signed') await this.transactions.markSubmitted(transaction.id);
    if (transaction.state === 'included') await this.transactions.markDropped(transaction.id);
    await this.nodes.use(transaction.network, (node) => node.send(toWire(transaction)));
  }

  /** Expired only with proof, all by one node: no later block can hold it, and no finalized one does. */
  private async expire({ id, network, signature, blockhash, acceptedBlockHeight }: SignedTransaction) {
    const isExpired = await this.nodes.use(network, async (node) => {
      const height = await node.getBlockHeight('finalized');
      if (height <= acceptedBlockHeight + MAX_BLOCKHASH_AGE) return false;
      if (await node.isBlockhashValid(blockhash, 'finalized')) return false;
      const [status] = await node.getStatuses([signature]);
      return status === null;
    });
    if (isExpired) await this.transactions.markExpired(id);
    return isExpired;
  }

  /** One that fails stays due and does not hold up the others. */
  private async forEach<T extends { readonly id: string } | { readonly transaction: StoredTransaction }>(
    items: readonly T[],
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += MAX_CONCURRENT)
      await Promise.all(
        items.slice(start, start + MAX_CONCURRENT).map((item) =>
          work(item).catch((error: unknown) => {
            const { id } = 'transaction' in item ? item.transaction : item;
            const reason = formatErrorReason(error);
            this.context.logger.warn({ transactionId: id, reason }, 'a Solana transaction waits');
          }),
        ),
      );
  }
}

type LandingStatus = NonNullable<SignatureStatus>;

/** Undefined below `confirmed`: such a block may still vanish. */
const toLanding = (status: SignatureStatus): LandingStatus | undefined =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized'
    ? status
    : undefined;
