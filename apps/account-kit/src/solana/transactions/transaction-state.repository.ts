import { createBatcher } from '@app/common';
import { Database, queryRows, toStoredJson } from '@app/database';
import { type SolanaTransactionState, solanaTransactionState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { settleTransactions } from '../../limits/reservations.queries.js';
import { HOLD_FREEZES, holdFreezes } from '../../limits/freezes.queries.js';
import { isTransactionFrozen } from '../../limits/is-frozen.js';
import { MAX_SIGNING_MS } from '../../request-deadline.js';
import { type StateTable, StateTransitions, type Transition } from '../../states/state-transitions.js';
import { releaseKeys } from '../../user-operations/idempotency-keys.queries.js';
import type { StoredTransaction } from './solana-transaction.repository.js';

const TRANSACTIONS: StateTable<SolanaTransactionState> = {
  table: 'account_kit.solana_transactions',
  row: 't',
  joined: { table: 'account_kit.smart_accounts AS a', on: 'a.id = t.account_id' },
  returning: `t.id, t.client_id, a.solana_addresses ->> t.network AS account, t.network, t.signature, t.state, t.state_seq,
    t.accepted_at, t.changed_at`,
  event: `'type', 'transaction.changed', 'clientId', changed.client_id, 'account', changed.account,
    'network', changed.network, 'txSignature', changed.signature`,
  state: solanaTransactionState,
};

type Change = Transition<SolanaTransactionState>;

const idRows = z.array(z.object({ id: z.string() }));

/** The status of a transaction that was just sent is read after this time: few blocks take longer to be confirmed. */
const FIRST_LOOK_MS = 1_000;

/** A block may hold it. Earlier releases left transactions `signed` that were frozen. */
const SENT_STATES = ['signed', 'submitted', 'included'] as const;

interface TransactionSignatures {
  readonly id: string;
  /** The signatures of all signers, joined. */
  readonly signatures: Buffer;
  /** The first one, in base58. */
  readonly signature: string;
}

/** The block in which a transaction landed, and its outcome. */
interface Landing {
  readonly transaction: Pick<StoredTransaction, 'id' | 'isCapped'>;
  readonly slot: bigint;
  /** The error as nodes write it; null if the transaction succeeded. */
  readonly err: unknown;
}

export interface FinalLanding extends Landing {
  /** The result of `getTransaction`; null if no node has the transaction. */
  readonly response: unknown;
}

/**
 * Changes states of transactions, of several in one statement. Caps count by the state of what has reserved them, in the transaction of
 * the change; other transactions need none.
 */
@Injectable()
export class TransactionStateRepository {
  private readonly signed = createBatcher(
    (signed: readonly TransactionSignatures[]) => this.markAllSigned(signed),
    { batchWindowMs: 0 },
  );

  constructor(
    private readonly database: Database,
    private readonly transitions: StateTransitions,
  ) {}

  /**
   * Stores all signatures, and in the same statement that the transaction is about to be sent: a statement of its own would cost each
   * transaction one more.
   * @returns whether it is stored, so that the caller sends it; false if it is frozen, not `accepted` any more, or was accepted longer ago
   *   than `MAX_SIGNING_MS`: its caller may have made another transaction
   */
  markSubmittedWith(signatures: TransactionSignatures): Promise<boolean> {
    return this.signed.load(signatures);
  }

  /** Lets a worker of any instance send a transaction at once. */
  async makeDue(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.solana_transactions SET next_attempt_at = now() WHERE id = $1 AND state = 'submitted'`,
      [id],
    );
  }

  /** Leaves transactions that are not finished for later. */
  async postpone(pauses: readonly { readonly id: string; readonly pauseMs: number }[]): Promise<void> {
    if (pauses.length === 0) return;
    await this.database.query(
      `UPDATE account_kit.solana_transactions AS t SET next_attempt_at = clock_timestamp() + given.pause * interval '1 ms'
       FROM unnest($1::uuid[], $2::int[]) AS given (id, pause) WHERE t.id = given.id AND t.next_attempt_at IS NOT NULL`,
      [pauses.map(({ id }) => id), pauses.map(({ pauseMs }) => pauseMs)],
    );
  }

  /**
   * Only a transaction that is not signed can be rejected: no node knows it. Its idempotency keys are free again.
   * @returns false if it is not `accepted` any more
   */
  markRejected(id: string, reason: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const changed = await this.changeAndSettle(manager, {
        from: ['accepted'],
        to: 'rejected',
        set: 'reason = :reason, next_attempt_at = NULL',
        where: 't.id = :id',
        parameters: { id, reason },
      });
      const isRejected = changed.length === 1;
      if (isRejected) await releaseKeys(manager, id);
      return isRejected;
    });
  }

  /** Stores `submitted` before transactions are sent. @returns ids of those that may be sent: operators have not frozen them */
  async markSubmitted(transactions: readonly StoredTransaction[]): Promise<ReadonlySet<string>> {
    if (transactions.length === 0) return new Set();
    const ids = transactions.filter(({ state }) => state === 'signed').map(({ id }) => id);
    const condition = `NOT ${isTransactionFrozen('t')}`;
    return this.changeBeforeFreezes(async (manager) => {
      const changed =
        ids.length === 0
          ? []
          : await this.change(manager, {
              from: ['signed'],
              to: 'submitted',
              where: `t.id = ANY(:ids::uuid[]) AND ${condition}`,
              parameters: { ids },
            });
      const submitted = new Set(changed);
      // Transactions that were sent before, and those that another instance has just sent.
      const others = transactions.map(({ id }) => id).filter((id) => !submitted.has(id));
      if (others.length === 0) return submitted;
      const rows = await queryRows(
        manager,
        `SELECT id FROM account_kit.solana_transactions AS t WHERE id = ANY($1::uuid[]) AND ${condition}`,
        [others],
      );
      return new Set([...submitted, ...idRows.parse(rows).map(({ id }) => id)]);
    });
  }

  /** The block that held it was dropped, so it counts for caps again as before. */
  async markDropped(id: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.changeAndSettle(manager, {
        from: ['included'],
        to: 'submitted',
        set: 'slot = NULL, err = NULL',
        where: 't.id = :id',
        parameters: { id },
      }),
    );
  }

  async markIncluded(landings: readonly Landing[]): Promise<void> {
    await this.changeLanded(landings, {
      from: ['signed', 'submitted'],
      to: 'included',
      set: 'slot = given.slot, err = given.err',
      given: 'unnest(:ids::uuid[], :slots::bigint[], :errors::jsonb[]) AS given (id, slot, err)',
      where: 't.id = ANY(:ids::uuid[]) AND t.id = given.id',
      parameters: toLandingParameters(landings),
    });
  }

  async markFinal(landings: readonly FinalLanding[]): Promise<void> {
    await this.changeLanded(landings, {
      from: SENT_STATES,
      to: { sql: "CASE WHEN given.err IS NULL THEN 'final' ELSE 'reverted' END" },
      set: 'slot = given.slot, err = given.err, response = given.response, next_attempt_at = NULL',
      given: `unnest(:ids::uuid[], :slots::bigint[], :errors::jsonb[], :responses::jsonb[])
        AS given (id, slot, err, response)`,
      where: 't.id = ANY(:ids::uuid[]) AND t.id = given.id',
      parameters: {
        ...toLandingParameters(landings),
        responses: landings.map(({ response }) => toJson(response)),
      },
    });
  }

  async markExpired(id: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.changeAndSettle(manager, {
        from: SENT_STATES,
        to: 'expired',
        set: "reason = 'blockhash_expired', next_attempt_at = NULL",
        where: 't.id = :id',
        parameters: { id },
      }),
    );
  }

  /** Without reservations to settle, the change is a single statement. */
  private async changeLanded(landings: readonly Landing[], change: Change): Promise<void> {
    if (landings.length === 0) return;
    if (landings.some(({ transaction }) => transaction.isCapped))
      await this.database.transaction((manager) => this.changeAndSettle(manager, change));
    else await this.database.withConnection((manager) => this.change(manager, change));
  }

  /** Signatures that were made at the same time are stored in one statement; each alone if that fails. */
  private async markAllSigned(signed: readonly TransactionSignatures[]): Promise<(boolean | Error)[]> {
    try {
      return await this.storeSignatures(signed);
    } catch (error) {
      if (signed.length === 1) throw error;
      const outcomes = await Promise.allSettled(signed.map((one) => this.storeSignatures([one])));
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value[0] === true : (outcome.reason as Error),
      );
    }
  }

  /** @returns whether each is stored */
  private async storeSignatures(signed: readonly TransactionSignatures[]): Promise<boolean[]> {
    // The update begins after the lock, as in `changeBeforeFreezes`.
    const rows = await this.transitions.transitionAfter(this.database, HOLD_FREEZES, TRANSACTIONS, {
      from: ['accepted'],
      to: 'submitted',
      passed: ['signed'],
      set: `signatures = given.signatures, signature = given.signature,
        next_attempt_at = now() + :firstLookMs * interval '1 ms'`,
      given:
        'unnest(:ids::uuid[], :allSignatures::bytea[], :signatures::text[]) AS given (id, signatures, signature)',
      where: `t.id = ANY(:ids::uuid[]) AND t.id = given.id
        AND t.accepted_at > clock_timestamp() - :maxSigningMs * interval '1 ms' AND NOT ${isTransactionFrozen('t')}`,
      parameters: {
        ids: signed.map(({ id }) => id),
        allSignatures: signed.map(({ signatures }) => signatures),
        signatures: signed.map(({ signature }) => signature),
        firstLookMs: FIRST_LOOK_MS,
        maxSigningMs: MAX_SIGNING_MS,
      },
    });
    const stored = new Set(rows.map(({ id }) => id));
    return signed.map(({ id }) => stored.has(id));
  }

  /**
   * Runs what stores transactions as sent, unless they are frozen: a freeze that is made meanwhile waits for it, and what begins after that
   * sees the freeze. Its statements must begin after the lock.
   */
  private changeBeforeFreezes<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      await holdFreezes(manager);
      return work(manager);
    });
  }

  /** @returns ids of the transactions that have changed */
  private async changeAndSettle(manager: EntityManager, change: Change): Promise<string[]> {
    const ids = await this.change(manager, change);
    await settleTransactions(manager, ids);
    return ids;
  }

  /** @returns ids of the transactions that have changed */
  private async change(manager: EntityManager, change: Change): Promise<string[]> {
    const changed = await this.transitions.transition(manager, TRANSACTIONS, change);
    return changed.map(({ id }) => id);
  }
}

const toLandingParameters = (landings: readonly Landing[]) => ({
  ids: landings.map(({ transaction }) => transaction.id),
  slots: landings.map(({ slot }) => String(slot)),
  errors: landings.map(({ err }) => toJson(err)),
});

const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : toStoredJson(value);
