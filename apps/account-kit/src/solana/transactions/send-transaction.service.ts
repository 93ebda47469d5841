import { formatErrorReason, hasFinishedWithin, SECOND_MS } from '@app/common';
import { ServiceContext } from '@app/service';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { toWire } from '../messages/transaction/solana-transaction.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import { UnsentTransactionNotifier } from './transaction-signal.js';
import type { SettlementTurn } from './settlement-turn.js';
import type { StoredTransaction } from './solana-transaction.repository.js';
import { TransactionStateRepository } from './transaction-state.repository.js';

/**
 * How long a worker waits for transactions that it sends. The requests of one client application to a node wait for each other, for half a
 * minute where the node hangs for them; the statuses of all others are read meanwhile.
 */
const MAX_SEND_WAIT_MS = 2 * SECOND_MS;

/** Sends transactions that are stored as `submitted`. A cluster takes the same bytes once, however often they are sent. */
@Injectable()
export class SendTransactionService implements BeforeApplicationShutdown {
  private readonly sending = new Set<Promise<void>>();
  /** Sends that a worker has begun, by the id of the transaction: it is claimed again while it waits for a node. */
  private readonly resending = new Map<string, Promise<void>>();

  constructor(
    private readonly nodes: SolanaNodesService,
    private readonly states: TransactionStateRepository,
    private readonly notifier: UnsentTransactionNotifier,
    private readonly context: ServiceContext,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(
      [...this.sending, ...this.resending.values()].map((sent) => sent.catch(() => undefined)),
    );
  }

  /** @throws AppError 503 `chain_unavailable` */
  send(transaction: StoredTransaction): Promise<void> {
    return this.nodes.useAny(transaction.network, (node) =>
      node.send(transaction.clientId, toWire(transaction)),
    );
  }

  /**
   * Sends transactions that no block is known to have, at the same time, unless operators have frozen them. What takes longer than
   * MAX_SEND_WAIT_MS goes on without the turn.
   * @param options.isDropped whether the block that had an `included` one is gone
   */
  async sendAgain(
    pending: readonly { readonly transaction: StoredTransaction }[],
    turn: SettlementTurn,
    { isDropped = true } = {},
  ): Promise<void> {
    const transactions = pending.map(({ transaction }) => transaction);
    const allowed = await this.states.markSubmitted(transactions);
    await turn.forEach(
      transactions.filter(({ id }) => allowed.has(id)),
      async (transaction) => {
        if (isDropped && transaction.state === 'included') await this.states.markDropped(transaction.id);
        await hasFinishedWithin(MAX_SEND_WAIT_MS, this.resend(transaction));
      },
    );
  }

  /** Sends a transaction once at a time. A failure after the turn has left it is told by the next attempt. */
  private resend(transaction: StoredTransaction): Promise<void> {
    const { id } = transaction;
    const sent = this.resending.get(id) ?? this.send(transaction).finally(() => this.resending.delete(id));
    this.resending.set(id, sent);
    sent.catch((error: unknown) => {
      this.context.logger.debug({ transactionId: id, reason: formatErrorReason(error) }, 'it was not sent');
    });
    return sent;
  }

  /** Sends in the background, without waiting or failing: a worker sends what this instance cannot. */
  sendSoon(transaction: StoredTransaction): void {
    const sent = this.send(transaction)
      .catch((error: unknown) => this.leave(transaction, error))
      .finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  private async leave({ id }: StoredTransaction, error: unknown): Promise<void> {
    const { logger } = this.context;
    logger.warn({ transactionId: id, reason: formatErrorReason(error) }, 'a Solana transaction waits');
    try {
      await this.states.makeDue(id);
      this.notifier.notify(id);
    } catch (failure) {
      logger.debug({ transactionId: id, reason: formatErrorReason(failure) }, 'it is due a little later');
    }
  }
}
