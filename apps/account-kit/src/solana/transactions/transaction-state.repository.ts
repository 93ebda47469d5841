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
import { type StateUpdate, StateEventsService } from '../../states/state-events.service.js';
import { releaseKeys } from '../../user-operations/idempotency-keys.queries.js';
import { TRANSACTIONS } from './solana-transaction.repository.js';
import type { StoredTransaction } from './stored-transaction.js';

/** A row changes its state only from the states that its writer has seen: another instance may have been faster. */
const toUpdate = ({ set, steps = '1', given, condition = 'true' }: StateChange): string => `
  UPDATE ${TRANSACTIONS} AS t SET ${set}, state_seq = t.state_seq + ${steps}, changed_at = clock_timestamp()
  FROM account_kit.smart_accounts AS a ${given === undefined ? '' : `, ${given}`}
  WHERE t.id = ANY($1::uuid[]) AND t.state = ANY($2::text[]) AND a.id = t.account_id AND ${condition}
  RETURNING t.id, t.client_id, a.solana_addresses ->> t.network AS account, t.network, t.signature, t.state, t.state_seq,
    t.accepted_at, t.changed_at`;

const EVENT = `'type', 'transaction.changed', 'clientId', changed.client_id, 'account', changed.account,
  'network', changed.network, 'txSignature', changed.signature`;

const idRows = z.array(z.object({ id: z.string() }));
const stateRows = z.array(z.object({ id: z.string(), state: solanaTransactionState }));

interface StateChange {
  readonly ids: readonly string[];
  readonly from: readonly SolanaTransactionState[];
  /** SQL of the columns. */
  readonly set: string;
  /** SQL of the number of states by which it goes on. */
  readonly steps?: string;
  /** States between, which it passes where there is more than one step. */
  readonly passed?: readonly SolanaTransactionState[];
  /** SQL of a table that `condition` joins. */
  readonly given?: string;
  /** SQL of a further condition on the transaction, `t`. */
  readonly condition?: string;
  /** Values of the parameters of `set`, `given` and `condition`, from $3 on. */
  readonly parameters?: readonly unknown[];
}

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
    private readonly events: StateEventsService,
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
      `UPDATE ${TRANSACTIONS} SET next_attempt_at = now() WHERE id = $1 AND state = 'submitted'`,
      [id],
    );
  }

  /** Leaves transactions that are not finished for later. */
  async postpone(pauses: readonly { readonly id: string; readonly pauseMs: number }[]): Promise<void> {
    if (pauses.length === 0) return;
    await this.database.query(
      `UPDATE ${TRANSACTIONS} AS t SET next_attempt_at = clock_timestamp() + given.pause * interval '1 ms'
       FROM unnest($1::uuid[], $2::int[]) AS given (id, pause) WHERE t.id = given.id AND t.next_attempt_at IS NOT NULL`,
      [pauses.map(({ id }) => id), pauses.map(({ pauseMs }) => pauseMs)],
    );
  }

  /**
   * Only a transaction that is not signed can be rejected: no node knows it. Its idempotency keys are free again.
   * @returns false if it is not `accepted` any more
   */
  markRejected(id: string, reason: string): Promise<boolean> {
    const set = "state = 'rejected', reason = $3, next_attempt_at = NULL";
    return this.database.transaction(async (manager) => {
      const change = { ids: [id], from: ['accepted'], set, parameters: [reason] } as const;
      const isRejected = (await this.updateAndSettle(manager, change)).length === 1;
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
      const change = { ids, from: ['signed'], set: "state = 'submitted'", condition } as const;
      const changed = ids.length === 0 ? [] : await this.update(manager, change);
      const submitted = new Set(changed.map(({ id }) => id));
      // Transactions that were sent before, and those that another instance has just sent.
      const others = transactions.map(({ id }) => id).filter((id) => !submitted.has(id));
      if (others.length === 0) return submitted;
      const rows = await queryRows(
        manager,
        `SELECT id FROM ${TRANSACTIONS} AS t WHERE id = ANY($1::uuid[]) AND ${condition}`,
        [others],
      );
      return new Set([...submitted, ...idRows.parse(rows).map(({ id }) => id)]);
    });
  }

  /** The block that held it was dropped, so it counts for caps again as before. */
  async markDropped(id: string): Promise<void> {
    const set = "state = 'submitted', slot = NULL, err = NULL";
    await this.changeAndSettle({ ids: [id], from: ['included'], set });
  }

  async markIncluded(landings: readonly Landing[]): Promise<void> {
    await this.changeLanded(landings, {
      from: ['signed', 'submitted'],
      set: "state = 'included', slot = given.slot, err = given.err",
      given: 'unnest($1::uuid[], $3::bigint[], $4::jsonb[]) AS given (id, slot, err)',
    });
  }

  async markFinal(landings: readonly FinalLanding[]): Promise<void> {
    await this.changeLanded(
      landings,
      {
        from: SENT_STATES,
        set: `state = CASE WHEN given.err IS NULL THEN 'final' ELSE 'reverted' END, slot = given.slot, err = given.err,
          response = given.response, next_attempt_at = NULL`,
        given:
          'unnest($1::uuid[], $3::bigint[], $4::jsonb[], $5::jsonb[]) AS given (id, slot, err, response)',
      },
      [landings.map(({ response }) => toJson(response))],
    );
  }

  async markExpired(id: string): Promise<void> {
    const set = "state = 'expired', reason = 'blockhash_expired', next_attempt_at = NULL";
    await this.changeAndSettle({ ids: [id], from: SENT_STATES, set });
  }

  private async changeLanded(
    landings: readonly Landing[],
    change: Pick<StateChange, 'from' | 'set' | 'given'>,
    parameters: readonly unknown[] = [],
  ): Promise<void> {
    const all = {
      ...change,
      ids: landings.map(({ transaction }) => transaction.id),
      condition: 'given.id = t.id',
      parameters: [
        landings.map(({ slot }) => String(slot)),
        landings.map(({ err }) => toJson(err)),
        ...parameters,
      ],
    };
    const isCapped = landings.some(({ transaction }) => transaction.isCapped);
    await (isCapped ? this.changeAndSettle(all) : this.change(all));
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
    const change: StateChange = {
      ids: signed.map(({ id }) => id),
      from: ['accepted'],
      set: `state = 'submitted', signatures = given.signatures, signature = given.signature,
        next_attempt_at = now() + $5 * interval '1 ms'`,
      steps: '2',
      passed: ['signed'],
      given: 'unnest($1::uuid[], $3::bytea[], $4::text[]) AS given (id, signatures, signature)',
      condition: `given.id = t.id AND t.accepted_at > clock_timestamp() - $6 * interval '1 ms' AND NOT ${isTransactionFrozen('t')}`,
      parameters: [
        signed.map(({ signatures }) => signatures),
        signed.map(({ signature }) => signature),
        FIRST_LOOK_MS,
        MAX_SIGNING_MS,
      ],
    };
    // The update begins after the lock, as in `changeBeforeFreezes`.
    const rows = stateRows.parse(
      await this.events.updateAfter(this.database, HOLD_FREEZES, toStateUpdate(change)),
    );
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

  private async change(change: StateChange): Promise<z.infer<typeof stateRows>> {
    if (change.ids.length === 0) return [];
    return this.database.withConnection((manager) => this.update(manager, change));
  }

  private async changeAndSettle(change: StateChange): Promise<void> {
    await this.database.transaction((manager) => this.updateAndSettle(manager, change));
  }

  /** @returns ids of the transactions that have changed */
  private async updateAndSettle(manager: EntityManager, change: StateChange): Promise<string[]> {
    const ids = (await this.update(manager, change)).map(({ id }) => id);
    await settleTransactions(manager, ids);
    return ids;
  }

  /** @returns the transactions that have changed */
  private async update(manager: EntityManager, change: StateChange): Promise<z.infer<typeof stateRows>> {
    return stateRows.parse(await this.events.update(manager, toStateUpdate(change)));
  }
}

function toStateUpdate(change: StateChange): StateUpdate {
  const { ids, from, passed = [], parameters = [] } = change;
  return {
    ...{ update: toUpdate(change), event: EVENT, columns: 'id, state', passed },
    parameters: [ids, from, ...parameters],
  };
}

const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : toStoredJson(value);
