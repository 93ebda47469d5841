import { formatErrorReason } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { SignatureStatus } from '../nodes/solana-node.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import type { SolanaNetwork } from '../solana-network.js';
import { SendTransactionService } from './send-transaction.service.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { isSigned, type SignedTransaction, type StoredTransaction } from './stored-transaction.js';

/** Blocks for which a blockhash is valid (`MAX_PROCESSING_AGE` of Solana's runtime). */
const MAX_BLOCKHASH_AGE = 150n;
/** Transactions that are worked on at the same time: as many as one node gets connections. */
const MAX_TOGETHER = 16;

/**
 * Takes transactions one step on: sends them and reads their status. On any doubt the same bytes are sent again. Those that their request
 * has not signed in time are rejected: its caller has no signature to follow, and may have made another transaction.
 */
@Injectable()
export class SettleTransactionsService {
  constructor(
    private readonly states: TransactionStateRepository,
    private readonly nodes: SolanaNodesService,
    private readonly sending: SendTransactionService,
    private readonly context: ServiceContext,
  ) {}

  /** @param claimed at most 256 of one network */
  async settle(network: SolanaNetwork, claimed: readonly StoredTransaction[]): Promise<void> {
    if (claimed.length === 0) return;
    await this.forEach(
      claimed.filter((transaction) => !isSigned(transaction)),
      async ({ id }) => {
        await this.states.markRejected(id, 'abandoned');
      },
    );
    const finalizedHeight = await this.nodes.use(network, (node) => node.getFinalizedHeight());
    const isOld = ({ acceptedBlockHeight }: StoredTransaction) =>
      finalizedHeight > acceptedBlockHeight + MAX_BLOCKHASH_AGE;
    const signed = claimed.filter(isSigned);
    const statuses = await this.nodes.use(network, (node) =>
      node.getStatuses(signed.map(({ signature }) => signature)),
    );
    const found = signed.map((transaction, index) => ({ transaction, status: statuses[index] ?? null }));
    const landings = found.flatMap(toLandings);
    await this.inBatches(
      landings.filter(({ transaction }) => transaction.state !== 'included'),
      (included) => this.states.markIncluded(included),
      claimed.length,
    );
    await this.inBatches(
      landings.filter(({ confirmationStatus }) => confirmationStatus === 'finalized'),
      (finalized) => this.recordFinalized(network, finalized),
    );
    const pending = found.filter(({ status }) => toLanding(status) === undefined);
    const doubtful = pending.filter(({ transaction, status }) => status === null && isOld(transaction));
    const lost = new Set<SignedTransaction>();
    await this.forEach(
      doubtful.map(({ transaction }) => transaction),
      async (transaction) => {
        lost.add(transaction);
        if (!(await this.expire(transaction))) lost.delete(transaction);
      },
    );
    await this.inBatches(
      pending.filter(({ transaction }) => !lost.has(transaction)),
      (some) => this.send(some.map(({ transaction }) => transaction)),
    );
  }

  private async recordFinalized(network: SolanaNetwork, finalized: readonly FoundLanding[]): Promise<void> {
    const responses = await Promise.all(
      finalized.map(({ transaction: { signature } }) =>
        this.nodes.use(network, (node) => node.getTransaction(signature, 'finalized')),
      ),
    );
    await this.states.markFinal(
      finalized.flatMap((landing, index) => {
        const response = responses[index];
        // A node that is behind knows it a little later.
        return response ? [{ ...landing, response }] : [];
      }),
    );
  }

  private async send(transactions: readonly SignedTransaction[]): Promise<void> {
    const allowed = await this.states.markSubmitted(transactions);
    await this.forEach(
      transactions.filter(({ id }) => allowed.has(id)),
      async (transaction) => {
        if (transaction.state === 'included') await this.states.markDropped(transaction.id);
        await this.sending.send(transaction);
      },
    );
  }

  private async expire({ id, network, signature, blockhash, acceptedBlockHeight }: SignedTransaction) {
    const lastHeight = acceptedBlockHeight + MAX_BLOCKHASH_AGE;
    const isExpired = await this.nodes.use(network, (node) =>
      node.isExpired(signature, { blockhash, firstHeight: acceptedBlockHeight, lastHeight }),
    );
    if (isExpired) await this.states.markExpired(id);
    return isExpired;
  }

  /** One that fails stays due and does not hold up the others. */
  private async forEach<T extends StoredTransaction>(
    items: readonly T[],
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += MAX_TOGETHER)
      await Promise.all(
        items.slice(start, start + MAX_TOGETHER).map((item) =>
          work(item).catch((error: unknown) => {
            this.logWaiting(item, error);
          }),
        ),
      );
  }

  /** Works on transactions together, and on each alone if that fails. */
  private async inBatches<T extends { readonly transaction: StoredTransaction }>(
    items: readonly T[],
    work: (items: readonly T[]) => Promise<void>,
    size = MAX_TOGETHER,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += size) {
      const some = items.slice(start, start + size);
      try {
        await work(some);
      } catch (error) {
        const reason = formatErrorReason(error);
        this.context.logger.warn({ count: some.length, reason }, 'Solana transactions are tried one by one');
        for (const item of some)
          await work([item]).catch((error: unknown) => {
            this.logWaiting(item.transaction, error);
          });
      }
    }
  }

  private logWaiting({ id }: StoredTransaction, error: unknown): void {
    const reason = formatErrorReason(error);
    this.context.logger.warn({ transactionId: id, reason }, 'a Solana transaction waits');
  }
}

type LandingStatus = NonNullable<SignatureStatus>;
type FoundLanding = LandingStatus & { readonly transaction: SignedTransaction };

/** Undefined below `confirmed`: such a block may still vanish. */
const toLanding = (status: SignatureStatus): LandingStatus | undefined =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized'
    ? status
    : undefined;

const toLandings = ({
  transaction,
  status,
}: {
  readonly transaction: SignedTransaction;
  readonly status: SignatureStatus;
}): FoundLanding[] => {
  const landing = toLanding(status);
  return landing ? [{ ...landing, transaction }] : [];
};
