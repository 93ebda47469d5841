import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AppError, createBatcher } from '@app/common';
import { Database, isRolledBack, type Queryable } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Reservation } from '../../caps/reservation.js';
import { frozen } from '../../freezes/freezes.errors.js';
import { lockUnlessFrozen } from '../../freezes/freezes.queries.js';
import { reserveWithinCaps } from '../../policies/reserve-within-caps.js';
import {
  type BoundKey,
  bindKey,
  findBoundKey,
  type IdempotencyScope,
} from '../../user-operations/idempotency-keys.queries.js';
import { idempotencyKeyConflict } from '../../user-operations/user-operations.errors.js';
import { tooManyUnfinished } from '../solana.errors.js';
import { type NewTransaction, SolanaTransactionRepository } from './solana-transaction.repository.js';

/** An account's share of the worker. */
const MAX_UNFINISHED = 16;
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

/** Stores transactions as `accepted`, with all that must be true of them then. */
@Injectable()
export class AcceptTransactionService {
  /** Transactions of requests at the same time are accepted together: a commit for each costs more than all else. */
  private readonly together = createBatcher((rows: readonly NewTransaction[]) => this.acceptTogether(rows), {
    batchWindowMs: () => this.untilAllArrived(),
    maxBatchSize: MAX_TOGETHER,
  });

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
   * @throws AppError 403 `frozen`, `policy_limit_exceeded`, `policy_forbidden`, 409 `idempotency_key_conflict`, 429
   */
  accept({ row, key, reservations }: Acceptance): Promise<boolean> {
    if (key === undefined && reservations.length === 0) return this.together.load(row);
    const { id: operationId, clientId } = row;
    return this.database.transaction(async (manager) => {
      const [isStored] = await this.store(manager, [row]);
      if (isStored instanceof Error) throw isStored;
      if (isStored !== true) return false;
      if (key && !(await bindKey(manager, key, { ...key, operationId }))) await checkKey(manager, key);
      // Last, because transactions of other accounts wait for the counters of an application.
      await reserveWithinCaps(manager, { operationId, clientId, reservations });
      return true;
    });
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

  /** Copies of one transaction are one; one that PostgreSQL refuses does not hold up the others. */
  private async acceptTogether(rows: readonly NewTransaction[]): Promise<(boolean | Error)[]> {
    const originals = new Map(rows.toReversed().map((row) => [toCopyKey(row), row]));
    const different = rows.filter((row) => originals.get(toCopyKey(row)) === row);
    const outcomes = new Map<NewTransaction, boolean | Error>();
    for (const [index, outcome] of (await this.storeAll(different)).entries()) {
      const row = different[index];
      if (row) outcomes.set(row, outcome);
    }
    return rows.map((row) => {
      const original = originals.get(toCopyKey(row));
      const outcome = original && outcomes.get(original);
      if (outcome === true) return original === row;
      return outcome ?? false;
    });
  }

  private async storeAll(rows: readonly NewTransaction[]): Promise<(boolean | Error)[]> {
    const store = (some: readonly NewTransaction[]) =>
      this.database.transaction((manager) => this.store(manager, some));
    try {
      return await store(rows);
    } catch (error) {
      if (rows.length === 1 || !isRolledBack(error)) throw error;
      const outcomes: (boolean | Error)[] = [];
      for (const row of rows)
        outcomes.push(...(await store([row]).catch((reason: unknown) => [reason as Error])));
      return outcomes;
    }
  }

  private async store(
    manager: EntityManager,
    rows: readonly NewTransaction[],
  ): Promise<(boolean | AppError)[]> {
    const scopes = await lockUnlessFrozen(
      manager,
      rows.map(({ accountId, clientId, network, sponsor }) => ({
        lock: `solana transactions ${accountId}`,
        accountId,
        clientId,
        chain: network,
        paymaster: sponsor,
      })),
    );
    const allowed = rows.filter((_, index) => scopes[index] === null);
    const inserted = await this.transactions.insert(manager, allowed, MAX_UNFINISHED);
    const outcomes = new Map(allowed.map(({ id }, index) => [id, inserted[index]]));
    return rows.map(({ id }, index) => {
      const scope = scopes[index];
      if (scope) return frozen(scope);
      const outcome = outcomes.get(id);
      return outcome?.hasRoom === true ? outcome.isStored : tooManyUnfinished(MAX_UNFINISHED);
    });
  }
}

const toCopyKey = ({ accountId, network, transaction }: NewTransaction): string =>
  `${accountId} ${network} ${Buffer.from(transaction.message).toString('base64')}`;

/** @throws AppError 409 when the key is bound to another request */
export async function checkKey(db: Queryable, key: BoundTransactionKey | undefined): Promise<void> {
  const bound = key && (await findBoundKey(db, key));
  if (bound && !bound.requestHash.equals(key.requestHash)) throw idempotencyKeyConflict();
}
