import { ServiceContext, ItemFailures } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { SignatureStatus } from '../nodes/solana-node.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import type { SolanaNetwork } from '../messages/solana-network.js';
import { SendTransactionService } from './send-transaction.service.js';
import { type FoundStatus, SettlementTurn, toLanding, toLandings } from './settlement-turn.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { isSigned, type SignedTransaction, type StoredTransaction } from './solana-transaction.repository.js';
import { SECOND_MS } from '@app/common';

/** Longest pause of a transaction that a block may still take. */
const MAX_FRESH_PAUSE_MS = 8 * SECOND_MS;

/** Pauses transactions that fail, each longer after each failure, so that they take less and less of what others need. */
@Injectable()
export class PauseTransactionsService {
  private readonly failures: ItemFailures;

  constructor(
    private readonly states: TransactionStateRepository,
    context: ServiceContext,
  ) {
    this.failures = new ItemFailures(context.logger, 'a Solana transaction waits', {
      idField: 'transactionId',
    });
  }

  /** Pauses those that can still land no longer than it helps to send them again, and forgets earlier failures of those that did not fail. */
  async pause(transactions: readonly StoredTransaction[], turn: SettlementTurn): Promise<void> {
    const pauses: { id: string; pauseMs: number }[] = [];
    for (const transaction of transactions) {
      const { id } = transaction;
      if (!turn.failed.has(id)) this.failures.forget(id);
      else {
        const pauseMs = this.failures.record(id, turn.failed.get(id));
        pauses.push({
          id,
          pauseMs: turn.isOld(transaction) ? pauseMs : Math.min(pauseMs, MAX_FRESH_PAUSE_MS),
        });
      }
    }
    await this.states.postpone(pauses);
  }
}

/** Transactions that `settle` leaves to FinishTransactionsService. */
export interface Settled {
  /** Finalized transactions, and old ones that an honest node would have finalized if any block had them. */
  readonly late: readonly FoundStatus[];
  /** The height is undefined if no node tells it: then nothing expires. */
  readonly finalizedHeight: bigint | undefined;
  /** Why no node tells the height. */
  readonly heightFailure?: Error;
}

/**
 * Takes transactions one step on: reads their statuses, records which are included, and sends the others. On any doubt the same bytes are sent
 * again. Those that their request has not signed in time are rejected: its caller has no signature to follow, and may have made another
 * transaction. It makes few requests one after another, however many transactions there are: a new transaction is sent although nodes tell
 * the last states of others slowly.
 */
@Injectable()
export class SettleTransactionsService {
  constructor(
    private readonly states: TransactionStateRepository,
    private readonly nodes: SolanaNodesService,
    private readonly sending: SendTransactionService,
    private readonly pauses: PauseTransactionsService,
    private readonly context: ServiceContext,
  ) {}

  /**
   * @param claimed at most 256 of one network
   * @throws AppError 503 if the nodes tell neither the height nor statuses
   */
  async settle(network: SolanaNetwork, claimed: readonly StoredTransaction[]): Promise<Settled> {
    const signed = claimed.filter(isSigned);
    // Without it nothing expires, and the rest goes on.
    const { finalizedHeight, heightFailure } =
      signed.length === 0 ? {} : await this.loadFinalizedHeight(network);
    const turn = new SettlementTurn(network, finalizedHeight, this.context.logger);
    await turn.forEach(
      claimed.filter((transaction) => !isSigned(transaction)),
      async ({ id }) => {
        await this.states.markRejected(id, 'abandoned');
      },
    );
    let late: readonly FoundStatus[] = [];
    try {
      late = await this.settleSigned(signed, turn);
      return { late, finalizedHeight, heightFailure };
    } finally {
      const isLate = new Set(late.map(({ transaction }) => transaction.id));
      await this.pauses.pause(
        claimed.filter(({ id }) => !isLate.has(id)),
        turn,
      );
    }
  }

  private async loadFinalizedHeight(
    network: SolanaNetwork,
  ): Promise<Pick<Settled, 'heightFailure'> & { readonly finalizedHeight?: bigint | undefined }> {
    try {
      return {
        finalizedHeight: toMiddle(await this.nodes.askAll(network, (node) => node.getFinalizedHeight())),
      };
    } catch (error) {
      return { heightFailure: error as Error };
    }
  }

  /** @returns transactions whose last state is to be found */
  private async settleSigned(
    signed: readonly SignedTransaction[],
    turn: SettlementTurn,
  ): Promise<readonly FoundStatus[]> {
    if (signed.length === 0) return [];
    const found = await this.findStatuses(signed, turn);
    const landings = found.flatMap(toLandings);
    await turn.together(
      landings.filter(({ transaction }) => transaction.state !== 'included'),
      (included) => this.states.markIncluded(included),
    );
    const isLate = ({ transaction, status }: FoundStatus) =>
      status?.confirmationStatus === 'finalized' || (status !== undefined && turn.isOld(transaction));
    // A transaction whose status nobody tells is sent again: a cluster takes the same bytes once.
    const pending = found.filter((one) => !isLate(one) && toLanding(one.status ?? null) === undefined);
    await turn.together(pending, (some) => this.sending.sendAgain(some, turn));
    return found.filter(isLate);
  }

  /**
   * Asks for all statuses together, and for ever smaller parts if that fails, as long as the turn lasts: one signature must not keep the
   * others from being found. What one node does not know is asked of the next one. Statuses that are not told are undefined.
   */
  private async findStatuses(
    signed: readonly SignedTransaction[],
    turn: SettlementTurn,
  ): Promise<readonly FoundStatus[]> {
    try {
      const statuses = new Map<SignedTransaction, SignatureStatus>();
      const isOpen = (transaction: SignedTransaction) =>
        !isKnown(transaction, statuses.get(transaction), turn);
      await this.nodes.find(turn.network, async (node) => {
        const open = signed.filter(isOpen);
        const told = await node.getStatuses(open.map(({ signature }) => signature));
        for (const [index, transaction] of open.entries())
          statuses.set(transaction, toBetter(statuses.get(transaction) ?? null, told[index] ?? null));
        return signed.some(isOpen) ? null : signed;
      });
      return signed.map((transaction) => ({ transaction, status: statuses.get(transaction) ?? null }));
    } catch (error) {
      // The nodes are away.
      if (turn.finalizedHeight === undefined) throw error;
      const half = Math.ceil(signed.length / 2);
      if (signed.length === 1 || turn.isOver)
        return signed.map((transaction) => {
          turn.failed.set(transaction.id, error);
          return { transaction, status: undefined };
        });
      return [
        ...(await this.findStatuses(signed.slice(0, half), turn)),
        ...(await this.findStatuses(signed.slice(half), turn)),
      ];
    }
  }
}

/** A single node that is stuck or lies changes nothing of three. Of two the lower one counts: a node that lies delays what ends, and ends nothing. */
const toMiddle = (heights: readonly bigint[]): bigint | undefined =>
  heights.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor((heights.length - 1) / 2)];

/** Whether no other node needs to be asked. Blocks that can hold an old transaction are finalized. */
const isKnown = (
  transaction: StoredTransaction,
  status: SignatureStatus | undefined,
  turn: SettlementTurn,
): boolean =>
  turn.isOld(transaction)
    ? status?.confirmationStatus === 'finalized'
    : toLanding(status ?? null) !== undefined;

/** The status of the later node where it knows more. */
const toBetter = (earlier: SignatureStatus, later: SignatureStatus): SignatureStatus =>
  later?.confirmationStatus === 'finalized' || !toLanding(earlier) ? (later ?? earlier) : earlier;
