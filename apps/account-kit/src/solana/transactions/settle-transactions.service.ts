import { boundEntries, formatErrorReason, SECOND_MS } from '@app/common';
import { ItemFailures, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { SignatureStatus } from '../nodes/solana-node.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import type { SolanaNetwork } from '../solana-network.js';
import { SendTransactionService } from './send-transaction.service.js';
import {
  type FinalLanding as StoredLanding,
  TransactionStateRepository,
} from './transaction-state.repository.js';
import { isSigned, type SignedTransaction, type StoredTransaction } from './stored-transaction.js';

/** Blocks for which a blockhash is valid (`MAX_PROCESSING_AGE` of Solana's runtime). */
const MAX_BLOCKHASH_AGE = 150n;
/** Transactions that are worked on at the same time: as many as one node gets connections. */
const MAX_TOGETHER = 16;
/** Longest pause of a transaction that a block may still take. */
const MAX_FRESH_PAUSE_MS = 8 * SECOND_MS;

/** A finalized transaction that nodes do not have this often is recorded without their answer. */
const MAX_RESPONSE_FAILURES = 3;
/** More transactions than are finalized and unreadable at the same time. */
const MAX_COUNTED = 1_000;

/**
 * Takes transactions one step on: sends them and reads their status. On any doubt the same bytes are sent again. Those that their request
 * has not signed in time are rejected: its caller has no signature to follow, and may have made another transaction.
 */
@Injectable()
export class SettleTransactionsService {
  private readonly failures: ItemFailures;
  /** How often nodes did not have a finalized transaction, by its id. */
  private readonly responseFailures = new LRUCache<string, number>(boundEntries(MAX_COUNTED));

  constructor(
    private readonly states: TransactionStateRepository,
    private readonly nodes: SolanaNodesService,
    private readonly sending: SendTransactionService,
    private readonly context: ServiceContext,
  ) {
    this.failures = new ItemFailures(context.logger, 'a Solana transaction waits', {
      idField: 'transactionId',
    });
  }

  /**
   * @param claimed at most 256 of one network
   * @throws AppError 503 if the nodes tell neither the height nor statuses
   */
  async settle(network: SolanaNetwork, claimed: readonly StoredTransaction[]): Promise<void> {
    if (claimed.length === 0) return;
    const turn: Turn = { failed: new Map(), finalizedHeight: undefined };
    await this.forEach(
      turn,
      claimed.filter((transaction) => !isSigned(transaction)),
      async ({ id }) => {
        await this.states.markRejected(id, 'abandoned');
      },
    );
    try {
      await this.settleSigned(network, claimed.filter(isSigned), turn);
    } finally {
      await this.postpone(claimed, turn);
    }
  }

  private async settleSigned(
    network: SolanaNetwork,
    signed: readonly SignedTransaction[],
    turn: Turn,
  ): Promise<void> {
    if (signed.length === 0) return;
    // Without it nothing expires, and the rest goes on.
    const heightFailure = await this.nodes
      .askAll(network, (node) => node.getFinalizedHeight())
      .then((heights) => {
        turn.finalizedHeight = toMiddle(heights);
      })
      .catch((error: unknown) => ({ error }));
    const found = await this.findStatuses(network, signed, turn);
    const landings = found.flatMap(toLandings);
    await this.inBatches(
      turn,
      landings.filter(({ transaction }) => transaction.state !== 'included'),
      (included) => this.states.markIncluded(included),
      signed.length,
    );
    await this.inBatches(
      turn,
      landings.filter(({ confirmationStatus }) => confirmationStatus === 'finalized'),
      (finalized) => this.recordFinalized(network, finalized, turn),
    );
    // A transaction whose status nobody tells is sent again: a cluster takes the same bytes once.
    const pending = found.filter(({ status }) => toLanding(status ?? null) === undefined);
    // An honest node has finalized what any block has of these.
    const doubtful = found.filter(
      ({ transaction, status }) =>
        status !== undefined && status?.confirmationStatus !== 'finalized' && isOld(transaction, turn),
    );
    const lost = new Set<SignedTransaction>();
    await this.forEach(
      turn,
      doubtful.map(({ transaction }) => transaction),
      async (transaction) => {
        lost.add(transaction);
        if (await this.expire(transaction)) return;
        lost.delete(transaction);
        turn.failed.set(transaction.id, new Error('it is old, and nodes do not prove that no block has it'));
      },
    );
    await this.inBatches(
      turn,
      pending.filter(({ transaction }) => !lost.has(transaction)),
      (some) =>
        this.send(
          some.map(({ transaction }) => transaction),
          turn,
        ),
    );
    if (heightFailure) throw heightFailure.error;
  }

  /**
   * Asks for all statuses together, and for ever smaller parts if that fails: one signature must not keep the others from being found.
   * What one node does not know is asked of the next one. Statuses that are not told are undefined.
   */
  private async findStatuses(
    network: SolanaNetwork,
    signed: readonly SignedTransaction[],
    turn: Turn,
  ): Promise<readonly FoundStatus[]> {
    try {
      const statuses = new Map<SignedTransaction, SignatureStatus>();
      const isOpen = (transaction: SignedTransaction) =>
        !isKnown(transaction, statuses.get(transaction), turn);
      await this.nodes.find(network, async (node) => {
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
      const [first] = signed;
      if (first && signed.length === 1) {
        turn.failed.set(first.id, error);
        return [{ transaction: first, status: undefined }];
      }
      const half = Math.ceil(signed.length / 2);
      return [
        ...(await this.findStatuses(network, signed.slice(0, half), turn)),
        ...(await this.findStatuses(network, signed.slice(half), turn)),
      ];
    }
  }

  /** Pauses of transactions that fail grow, for those that can still land no longer than it helps to send them again. */
  private async postpone(claimed: readonly StoredTransaction[], turn: Turn): Promise<void> {
    const pauses: { id: string; pauseMs: number }[] = [];
    for (const transaction of claimed) {
      const { id } = transaction;
      if (!turn.failed.has(id)) this.failures.forget(id);
      else {
        const pauseMs = this.failures.record(id, turn.failed.get(id));
        pauses.push({
          id,
          pauseMs: isOld(transaction, turn) ? pauseMs : Math.min(pauseMs, MAX_FRESH_PAUSE_MS),
        });
      }
    }
    await this.states.postpone(pauses);
  }

  private async recordFinalized(
    network: SolanaNetwork,
    told: readonly FoundLanding[],
    turn: Turn,
  ): Promise<void> {
    const finalized = await this.filterConfirmed(network, told, turn);
    const recorded = await Promise.all(finalized.map((landing) => this.loadResponse(network, landing, turn)));
    const final = recorded.flatMap((landing) => (landing ? [landing] : []));
    if (final.length > 0) await this.states.markFinal(final);
  }

  /**
   * Adds what `getTransaction` answers. Nodes that are behind know a transaction a little later; nodes that have deleted old blocks never
   * do, and some answers are too large to read. An old transaction is recorded without an answer after three failures, as an inclusion on
   * an EVM chain is: that it is finalized, its slot and its error are known from the vote.
   * @returns undefined if the transaction is to be looked for again
   */
  private async loadResponse(
    network: SolanaNetwork,
    landing: FoundLanding,
    turn: Turn,
  ): Promise<FinalLanding | undefined> {
    const { transaction } = landing;
    let failure: unknown = new Error('nodes do not have the finalized transaction');
    const response = await this.nodes
      .find(network, (node) => node.getTransaction(transaction.signature, 'finalized'))
      .catch((error: unknown) => {
        failure = error;
        return null;
      });
    const failures = (this.responseFailures.get(transaction.id) ?? 0) + 1;
    const isGivenUp = failures >= MAX_RESPONSE_FAILURES && isOld(transaction, turn);
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
    network: SolanaNetwork,
    told: readonly FoundLanding[],
    turn: Turn,
  ): Promise<readonly FoundLanding[]> {
    const votes = await Promise.all(
      told.map(({ transaction, slot, err }) =>
        this.nodes.voteOnLanding(network, async (node) => {
          const { signature, acceptedBlockHeight: firstHeight } = transaction;
          const vote = await node.confirmsLanding(signature, { slot, err, firstHeight });
          // Most nodes have finalized each block that can hold an old transaction: there is nothing to wait for.
          return vote === 'later' && isOld(transaction, turn) ? 'deny' : vote;
        }),
      ),
    );
    const disputed = told.filter((_, index) => votes[index] === 'deny').map(({ transaction }) => transaction);
    for (const { id } of disputed)
      turn.failed.set(id, new Error('nodes disagree whether a finalized block has it'));
    const fresh = disputed.filter((transaction) => !isOld(transaction, turn));
    const allowed = await this.states.markSubmitted(fresh);
    const sendable = fresh.filter(({ id }) => allowed.has(id));
    await this.forEach(turn, sendable, (transaction) => this.sending.send(transaction));
    return told.filter((_, index) => votes[index] === 'confirm');
  }

  private async send(transactions: readonly SignedTransaction[], turn: Turn): Promise<void> {
    const allowed = await this.states.markSubmitted(transactions);
    await this.forEach(
      turn,
      transactions.filter(({ id }) => allowed.has(id)),
      async (transaction) => {
        if (transaction.state === 'included') await this.states.markDropped(transaction.id);
        await this.sending.send(transaction);
      },
    );
  }

  private async expire({ id, network, signature, blockhash, acceptedBlockHeight }: SignedTransaction) {
    const lastHeight = acceptedBlockHeight + MAX_BLOCKHASH_AGE;
    const use = { blockhash, firstHeight: acceptedBlockHeight, lastHeight };
    const isExpired = await this.nodes.isMajority(network, (node) => node.confirmsExpiry(signature, use));
    if (isExpired) await this.states.markExpired(id);
    return isExpired;
  }

  /** A transaction that fails is left for later, and does not hold up the others. */
  private async forEach<T extends StoredTransaction>(
    turn: Turn,
    items: readonly T[],
    work: (item: T) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += MAX_TOGETHER)
      await Promise.all(
        items.slice(start, start + MAX_TOGETHER).map((item) =>
          work(item).catch((error: unknown) => {
            turn.failed.set(item.id, error);
          }),
        ),
      );
  }

  /** Works on transactions together, and on each alone if that fails. */
  private async inBatches<T extends { readonly transaction: StoredTransaction }>(
    turn: Turn,
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
            turn.failed.set(item.transaction.id, error);
          });
      }
    }
  }
}

/** What was learned while some transactions were worked on. */
interface Turn {
  /** Why transactions wait, by id. */
  readonly failed: Map<string, unknown>;
  /** Undefined if no node tells it. */
  finalizedHeight: bigint | undefined;
}

interface FoundStatus {
  readonly transaction: SignedTransaction;
  /** Null if the node knows no such transaction, undefined if it does not tell. */
  readonly status: SignatureStatus | undefined;
}

/** Whether the blockhash of a transaction is not valid any more in the finalized state. */
const isOld = ({ acceptedBlockHeight }: StoredTransaction, { finalizedHeight }: Turn): boolean =>
  finalizedHeight !== undefined && finalizedHeight > acceptedBlockHeight + MAX_BLOCKHASH_AGE;

/** A single node that is stuck or lies changes nothing of three. Of two the lower one counts: a node that lies delays what ends, and ends nothing. */
const toMiddle = (heights: readonly bigint[]): bigint | undefined =>
  heights.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor((heights.length - 1) / 2)];

/** Whether no other node needs to be asked. Blocks that can hold an old transaction are finalized. */
const isKnown = (transaction: StoredTransaction, status: SignatureStatus | undefined, turn: Turn): boolean =>
  isOld(transaction, turn)
    ? status?.confirmationStatus === 'finalized'
    : toLanding(status ?? null) !== undefined;

/** The status of the later node where it knows more. */
const toBetter = (earlier: SignatureStatus, later: SignatureStatus): SignatureStatus =>
  later?.confirmationStatus === 'finalized' || !toLanding(earlier) ? (later ?? earlier) : earlier;

type LandingStatus = NonNullable<SignatureStatus>;
type FoundLanding = LandingStatus & { readonly transaction: SignedTransaction };
type FinalLanding = FoundLanding & Pick<StoredLanding, 'response'>;

/** Undefined below `confirmed`: such a block may still vanish. */
const toLanding = (status: SignatureStatus): LandingStatus | undefined =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized'
    ? status
    : undefined;

const toLandings = ({ transaction, status }: FoundStatus): FoundLanding[] => {
  const landing = toLanding(status ?? null);
  return landing ? [{ ...landing, transaction }] : [];
};
