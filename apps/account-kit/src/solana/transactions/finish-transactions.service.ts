import { boundEntries } from '@app/common';
import { FairQueue } from '@app/limits';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import type { SolanaNetwork } from '../messages/solana-network.js';
import { PauseTransactionsService, type Settled } from './settle-transactions.service.js';
import { SendTransactionService } from './send-transaction.service.js';
import {
  type FoundLanding,
  type FoundStatus,
  MAX_BLOCKHASH_AGE,
  MAX_TOGETHER,
  SettlementTurn,
  toLanding,
  toLandings,
} from './settlement-turn.js';
import type { SignedTransaction } from './solana-transaction.repository.js';
import {
  type FinalLanding as StoredLanding,
  TransactionStateRepository,
} from './transaction-state.repository.js';

/** A finalized transaction that nodes do not have this often is recorded without their answer. */
const MAX_RESPONSE_FAILURES = 3;
/** More transactions than are finalized and unreadable at the same time. */
const MAX_COUNTED = 1_000;

type FinalLanding = FoundLanding & Pick<StoredLanding, 'response'>;

/** Finds the last state of transactions that are finalized or old, by what most nodes say. Each takes several requests, one after another. */
@Injectable()
export class FinishTransactionsService {
  /** How often nodes did not have a finalized transaction, by its id. */
  private readonly responseFailures = new LRUCache<string, number>(boundEntries(MAX_COUNTED));

  constructor(
    private readonly states: TransactionStateRepository,
    private readonly nodes: SolanaNodesService,
    private readonly sending: SendTransactionService,
    private readonly pauses: PauseTransactionsService,
    private readonly context: ServiceContext,
  ) {}

  /**
   * Works on as many transactions as the time of a turn suffices for; client applications take turns.
   * @returns ids of those that it has worked on
   */
  async finish(
    network: SolanaNetwork,
    { late, finalizedHeight }: Pick<Settled, 'late' | 'finalizedHeight'>,
  ): Promise<ReadonlySet<string>> {
    const turn = new SettlementTurn(network, finalizedHeight, this.context.logger);
    const done: FoundStatus[] = [];
    const items = inTurns(late);
    try {
      for (let start = 0; start < items.length && !turn.isOver; start += MAX_TOGETHER) {
        const some = items.slice(start, start + MAX_TOGETHER);
        done.push(...some);
        const isFinalized = ({ status }: FoundStatus) => status?.confirmationStatus === 'finalized';
        await turn.together(some.filter(isFinalized).flatMap(toLandings), (finalized) =>
          this.recordFinalized(finalized, turn),
        );
        await turn.together(
          some.filter((one) => !isFinalized(one)),
          (old) => this.expireOrSend(old, turn),
        );
      }
    } finally {
      await this.pauses.pause(
        done.map(({ transaction }) => transaction),
        turn,
      );
    }
    return new Set(done.map(({ transaction }) => transaction.id));
  }

  private async recordFinalized(told: readonly FoundLanding[], turn: SettlementTurn): Promise<void> {
    const finalized = await this.filterConfirmed(told, turn);
    const recorded = await Promise.all(finalized.map((landing) => this.loadResponse(landing, turn)));
    const final = recorded.flatMap((landing) => (landing ? [landing] : []));
    if (final.length > 0) await this.states.markFinal(final);
  }

  /**
   * Adds what `getTransaction` answers. Nodes that are behind know a transaction a little later; nodes that have deleted old blocks never
   * do, and some answers are too large to read. An old transaction is recorded without an answer after three failures, as an inclusion on
   * an EVM chain is: that it is finalized, its slot and its error are known from the vote.
   * @returns undefined if the transaction is to be looked for again
   */
  private async loadResponse(landing: FoundLanding, turn: SettlementTurn): Promise<FinalLanding | undefined> {
    const { transaction } = landing;
    let failure: unknown = new Error('nodes do not have the finalized transaction');
    const response = await this.nodes
      .find(turn.network, (node) => node.getTransaction(transaction.signature, 'finalized'))
      .catch((error: unknown) => {
        failure = error;
        return null;
      });
    const failures = (this.responseFailures.get(transaction.id) ?? 0) + 1;
    const isGivenUp = failures >= MAX_RESPONSE_FAILURES && turn.isOld(transaction);
    if (response || isGivenUp) {
      this.responseFailures.delete(transaction.id);
      return { ...landing, response };
    }
    this.responseFailures.set(transaction.id, failures);
    turn.failed.set(transaction.id, failure);
    return undefined;
  }

  /**
   * A node that lies could report a payment that no block has: what ends a transaction is asked of the other nodes, too. A transaction about
   * which they disagree is sent again while a block can take it.
   */
  private async filterConfirmed(
    told: readonly FoundLanding[],
    turn: SettlementTurn,
  ): Promise<readonly FoundLanding[]> {
    const votes = await Promise.all(
      told.map(({ transaction, slot, err }) =>
        this.nodes.voteOnLanding(turn.network, async (node) => {
          const { signature, acceptedBlockHeight: firstHeight } = transaction;
          const vote = await node.confirmsLanding(signature, { slot, err, firstHeight });
          // Most nodes have finalized each block that can hold an old transaction: there is nothing to wait for.
          return vote === 'later' && turn.isOld(transaction) ? 'deny' : vote;
        }),
      ),
    );
    const disputed = told.filter((_, index) => votes[index] === 'deny');
    for (const { transaction } of disputed)
      turn.failed.set(transaction.id, new Error('nodes disagree whether a finalized block has it'));
    const fresh = disputed.filter(({ transaction }) => !turn.isOld(transaction));
    await this.sending.sendAgain(fresh, turn, { isDropped: false });
    return told.filter((_, index) => votes[index] === 'confirm');
  }

  private async expireOrSend(old: readonly FoundStatus[], turn: SettlementTurn): Promise<void> {
    const unproven = new Set(old);
    await Promise.all(
      old.map(async (one) => {
        const { id } = one.transaction;
        try {
          if (await this.expire(one.transaction)) unproven.delete(one);
          else turn.failed.set(id, new Error('it is old, and nodes do not prove that no block has it'));
        } catch (error) {
          turn.failed.set(id, error);
        }
      }),
    );
    const pending = [...unproven].filter(({ status }) => toLanding(status ?? null) === undefined);
    await this.sending.sendAgain(pending, turn);
  }

  private async expire({ id, network, signature, blockhash, acceptedBlockHeight }: SignedTransaction) {
    const lastHeight = acceptedBlockHeight + MAX_BLOCKHASH_AGE;
    const use = { blockhash, firstHeight: acceptedBlockHeight, lastHeight };
    const isExpired = await this.nodes.isMajority(network, (node) => node.confirmsExpiry(signature, use));
    if (isExpired) await this.states.markExpired(id);
    return isExpired;
  }
}

/** Orders transactions so that the first one of each client application comes first. */
function inTurns(found: readonly FoundStatus[]): readonly FoundStatus[] {
  const queue = new FairQueue<FoundStatus>();
  for (const one of found) queue.add(one.transaction.clientId, one);
  return found.flatMap(() => queue.take() ?? []);
}
