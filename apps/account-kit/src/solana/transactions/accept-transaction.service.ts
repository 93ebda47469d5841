import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AppError, createBatcher } from '@app/common';
import { Database, isRolledBack, type Queryable, queryRows, type Statement } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  listCapRoom,
  createFullClients,
  NoRoomError,
  reserveTogether,
} from '../../limits/reservations.queries.js';
import type { Reservation } from '../../limits/cap.js';
import { frozen } from '../../limits/freezes.errors.js';
import { type FreezeScope, toLockStatement } from '../../limits/freezes.queries.js';
import { reserveWithinCaps } from '../../policies/reserve-within-caps.js';
import { acceptanceTimeout, PastDeadlineError } from '../../request-deadline.js';
import {
  type BoundKey,
  bindKey,
  findBoundKey,
  type IdempotencyScope,
} from '../../user-operations/idempotency-keys.queries.js';
import { idempotencyKeyConflict } from '../../user-operations/user-operations.errors.js';
import { sponsorUnavailable } from '../../policies/sponsoring/sponsoring.errors.js';
import { tooManyUnfinished } from '../solana.errors.js';
import type { SponsorFunds } from './judge-transaction.service.js';
import {
  type InsertedRow,
  type NewTransaction,
  SolanaTransactionRepository,
} from './solana-transaction.repository.js';

/** An account's unfinished transactions on one network, whose worker is shared by all accounts. */
const MAX_UNFINISHED = 16;
/** More transactions than all instances accept at the same time. */
const MAX_UNSEEN_TRANSACTIONS = 1_000n;
/** Transactions that are accepted together. */
const MAX_TOGETHER = 50;
/**
 * How long they wait at most for others that are judged now. What is accepted together is signed and stored together, too, so this saves a
 * third of the processor time of 16 concurrent requests.
 */
const MAX_WINDOW_MS = 8;

export type BoundTransactionKey = IdempotencyScope & Pick<BoundKey, 'requestHash'>;

export interface Acceptance {
  readonly row: NewTransaction;
  readonly key: BoundTransactionKey | undefined;
  readonly reservations: readonly Reservation[];
}

/** The group's transaction was rolled back: retry this transaction in a database transaction of its own. */
const ALONE = 'alone';
type Outcome = boolean | typeof ALONE | Error;

/** Stores transactions as `accepted`, with all that must be true of them then. */
@Injectable()
export class AcceptTransactionService {
  /** Transactions of requests at the same time are accepted together: a commit for each costs more than all else. */
  private readonly together = createBatcher((all: readonly Acceptance[]) => this.acceptTogether(all), {
    batchWindowMs: () => this.untilAllArrived(),
    maxBatchSize: MAX_TOGETHER,
  });

  private readonly full = createFullClients();
  /** Requests that are judged now, and so are about to be accepted. */
  private judged = 0;
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly transactions: SolanaTransactionRepository,
  ) {}

  /** Runs what comes before `accept`, so that others wait a moment for it. */
  async expectAfter<T>(work: () => Promise<T>): Promise<T> {
    this.judged += 1;
    try {
      return await work();
    } finally {
      this.judged -= 1;
      if (this.judged === 0) this.stopWaiting?.();
    }
  }

  /**
   * @returns whether it is stored; false if the same message is stored already, of this account or another
   * @throws AppError 403 `frozen`, `policy_limit_exceeded`, `policy_forbidden`, 409 `idempotency_key_conflict`, 429,
   *   503 `acceptance_timeout`
   */
  async accept(acceptance: Acceptance): Promise<boolean> {
    const { row, key } = acceptance;
    row.deadline.check();
    if (key !== undefined || this.full.has(row.clientId)) return this.acceptAlone(acceptance);
    const outcome = await this.together.load(acceptance);
    return outcome === ALONE ? this.acceptAlone(acceptance) : outcome;
  }

  /**
   * Judges as `accept` does, and rolls that back.
   * @returns what the transaction would leave of the caps that it counts under
   */
  dryRun(
    acceptance: Acceptance,
  ): Promise<{ isStored: boolean; caps: Awaited<ReturnType<typeof listCapRoom>> }> {
    return this.database.dryRun(async (manager) => {
      const isStored = await this.acceptIn(manager, acceptance);
      return { isStored, caps: await listCapRoom(manager, acceptance.row.id, acceptance.reservations) };
    });
  }

  private acceptAlone(acceptance: Acceptance): Promise<boolean> {
    return this.database.transaction((manager) => this.acceptIn(manager, acceptance));
  }

  private async acceptIn(manager: EntityManager, { row, key, reservations }: Acceptance): Promise<boolean> {
    const { id: operationId, clientId, deadline } = row;
    const [isStored] = await this.store([row], runEach(manager));
    if (isStored instanceof Error) throw isStored;
    if (isStored !== true) return false;
    await bindUnlessBound(manager, key, operationId);
    // Last, because transactions of other accounts wait for the counters of an application.
    await reserveWithinCaps(manager, { operationId, clientId, reservations });
    deadline.check();
    return true;
  }

  private async untilAllArrived(): Promise<void> {
    if (this.judged > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MAX_WINDOW_MS);
        this.stopWaiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    // The last one comes to `accept` a moment after it was judged.
    await nextTurn();
  }

  /** Copies of one transaction are one. */
  private async acceptTogether(all: readonly Acceptance[]): Promise<Outcome[]> {
    const originals = new Map(all.toReversed().map((one) => [toCopyKey(one.row), one]));
    const outcomes = await this.storeWhatHasRoom(
      all.filter((one) => originals.get(toCopyKey(one.row)) === one),
    );
    return all.map((one) => {
      const original = originals.get(toCopyKey(one.row));
      const outcome = (original && outcomes?.get(original.row.id)) ?? ALONE;
      return outcome === true ? original === one : outcome;
    });
  }

  /** @returns outcomes by id, without those for which a cap has no room; undefined if the transaction was rolled back */
  private async storeWhatHasRoom(
    all: readonly Acceptance[],
  ): Promise<ReadonlyMap<string, boolean | Error> | undefined> {
    try {
      return await this.storeTogether(all).catch((error: unknown) => {
        if (!(error instanceof NoRoomError)) throw error;
        const isFull = ({ row }: Acceptance) => error.operationIds.has(row.id);
        for (const { row } of all.filter(isFull)) this.full.set(row.clientId, true);
        return this.storeTogether(all.filter((one) => !isFull(one)));
      });
    } catch (error) {
      const isAlone =
        error instanceof NoRoomError || error instanceof PastDeadlineError || isRolledBack(error);
      if (isAlone) return undefined;
      throw error;
    }
  }

  private async storeTogether(all: readonly Acceptance[]): Promise<ReadonlyMap<string, boolean | Error>> {
    if (all.length === 0) return new Map();
    const newRows = all.map(({ row }) => row);
    const toOutcomes = (outcomes: readonly (boolean | AppError)[]) =>
      new Map(all.map(({ row }, index) => [row.id, outcomes[index] ?? false]));
    // Nothing is to be decided between its statements, so that they take one round trip.
    if (all.every(({ reservations }) => reservations.length === 0))
      return toOutcomes(await this.store(newRows, (statements) => this.database.queryTogether(statements)));
    return this.database.transaction(async (manager) => {
      const outcomes = await this.store(newRows, runEach(manager));
      const requests = all
        .filter((_, index) => outcomes[index] === true)
        .map(({ row: { id, clientId }, reservations }) => ({ operationId: id, clientId, reservations }));
      await reserveTogether(manager, requests);
      if (newRows.some(({ deadline }) => deadline.isPast)) throw new PastDeadlineError();
      return toOutcomes(outcomes);
    });
  }

  /** @param run runs two statements of one transaction */
  private async store(
    rows: readonly NewTransaction[],
    run: (statements: readonly [Statement, Statement]) => Promise<readonly unknown[][]>,
  ): Promise<(boolean | AppError)[]> {
    const toRequest = ({ accountId, clientId, network, sponsor }: NewTransaction) => ({
      accountId,
      clientId,
      chain: network,
      paymaster: sponsor?.address,
    });
    const lock = toLockStatement([
      ...rows.map((row) => ({ lock: `solana transactions ${row.accountId}`, ...toRequest(row) })),
      ...rows
        .filter(({ sponsor }) => sponsor && isPoor(sponsor))
        .map((row) => ({
          lock: `solana sponsor ${row.network} ${row.sponsor?.address}`,
          ...toRequest(row),
        })),
    ]);
    const insert = this.transactions.toInsertStatement(rows, MAX_UNFINISHED);
    const [locked = [], stored = []] = await run([lock, insert]);
    const scopes = lock.readScopes(locked);
    const inserted = this.transactions.readInserted(stored);
    return rows.map(({ id }, index) => toOutcome(inserted.get(id), scopes[index]));
  }
}

/** Transactions that are accepted at the same time see each other's fees only under a lock, which a sponsor that is rich enough does without. */
const isPoor = ({ lamports, maxLamports }: SponsorFunds): boolean =>
  lamports < MAX_UNSEEN_TRANSACTIONS * maxLamports;

/** A row is missing where it is frozen: by `scope`, or by a freeze that was made while the statement before waited for its locks. */
function toOutcome(row: InsertedRow | undefined, scope: FreezeScope | null | undefined): boolean | AppError {
  if (row === undefined) return frozen(scope ?? undefined);
  if (!row.hasTime) return acceptanceTimeout();
  if (!row.hasRoom) return tooManyUnfinished(MAX_UNFINISHED);
  return row.hasFunds ? row.isStored : sponsorUnavailable();
}

const runEach =
  (manager: EntityManager) =>
  async (statements: readonly Statement[]): Promise<unknown[][]> => {
    const results: unknown[][] = [];
    for (const { sql, parameters } of statements)
      results.push(await queryRows(manager, sql, [...parameters]));
    return results;
  };

const toCopyKey = ({ accountId, network, transaction }: NewTransaction): string =>
  `${accountId} ${network} ${Buffer.from(transaction.message).toString('base64')}`;

/** @returns the id of the transaction that the key is bound to @throws AppError 409 when the key is bound to another request */
export async function findBoundTransaction(
  db: Queryable,
  key: BoundTransactionKey | undefined,
): Promise<string | undefined> {
  const bound = key && (await findBoundKey(db, key));
  if (bound && !bound.requestHash.equals(key.requestHash)) throw idempotencyKeyConflict();
  return bound?.operationId;
}

/** @throws AppError 409 when the key is bound to another request */
export async function bindUnlessBound(
  db: Queryable,
  key: BoundTransactionKey | undefined,
  operationId: string,
): Promise<void> {
  if (key && !(await bindKey(db, key, { ...key, operationId }))) await findBoundTransaction(db, key);
}
