import { createHash } from 'node:crypto';
import { type BatcherOptions, conflict, createBatcher, getTraceparent } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CallbackConfig } from '../../callbacks/callback.config.js';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { EndpointEventService } from '../../callbacks/endpoints/endpoint-event.service.js';
import { SweepConfig } from '../../database/sweep.config.js';
import type { Requester } from '../../subjects/user-addresses.service.js';
import { AsyncCheckConfig } from './async-check.config.js';
import {
  type CheckReader,
  type CheckToFinish,
  findCheckIds,
  findCheckResult,
  findExistingCheck,
  finishChecks,
  type FinishedCheck,
  insertCheck,
  loadPendingChecks,
  type PendingCheck,
  postponeCheck,
  type StoredCheckResult,
  type StoredRequest,
} from './checks.queries.js';

/** Results of checks, for the client applications that requested them, and role callbacks, which are polled like results. */
@Injectable()
export class CheckResultRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /**
   * Undefined for an unknown or expired check, for one of another client application, and for a user of another user. Role
   * callbacks are about any member: users find none.
   */
  async find(requestId: string, reader: CheckReader): Promise<StoredCheckResult | undefined> {
    // PostgreSQL rejects text that is not a UUID.
    if (!z.uuid().safeParse(requestId).success) return undefined;
    const found = await findCheckResult(this.database, requestId, reader);
    if (found || reader.userId !== undefined) return found;
    return this.deliveries.findRoleCallback(requestId, reader.clientId);
  }
}

/** A check to accept. */
interface NewCheck {
  /** UUID; the caller polls with it. */
  id: string;
  clientId: string;
  /** Null for a check from the queue, whose tenant is not known. */
  tenantId: string | null;
  /** Decides, when the check runs, whether the wallets of a user may be checked. */
  requester: Requester;
  request: StoredRequest;
  callbackUrl: string | undefined;
  /** Whether the result is published to the results queue. */
  reply: boolean;
  idempotencyKey: string | undefined;
}

/** Trades latency for fewer statements: no HTTP request waits for these. */
const BATCHING: BatcherOptions = { batchWindowMs: 8 };

/** Accepted checks, read and written in batches. A stored check is run and answered even when its job is lost. */
@Injectable()
export class CheckRepository {
  private readonly existence = createBatcher((ids: readonly string[]) => this.exist(ids));
  private readonly loader = createBatcher((ids: readonly string[]) => this.loadAll(ids), BATCHING);
  private readonly finisher = createBatcher(
    (results: readonly CheckToFinish[]) => this.finishAll(results),
    BATCHING,
  );

  constructor(
    private readonly database: Database,
    private readonly config: AsyncCheckConfig,
    private readonly callbackConfig: CallbackConfig,
    private readonly sweepConfig: SweepConfig,
    private readonly endpoints: EndpointEventService,
  ) {}

  has(id: string): Promise<boolean> {
    return this.existence.load(id);
  }

  /**
   * Idempotent by idempotency key and by id.
   * @returns the id of the check: of the existing one when the same request came under the same idempotency key
   * @throws AppError 409 when a different request came under the same key or id
   */
  async accept({ requester, ...check }: NewCheck): Promise<string> {
    const requestHash = hashRequest(check);
    const requesterUserId = 'userId' in requester ? requester.userId : null;
    const isInserted = await insertCheck(this.database, {
      ...check,
      requestHash,
      requesterUserId,
      runAfterMs: this.sweepConfig.SWEEP_AFTER_MS,
      retentionMs: this.getRetentionMs(),
    });
    if (isInserted) return check.id;
    const existing = await findExistingCheck(this.database, { ...check, requesterUserId });
    if (!existing?.requestHash.equals(requestHash)) throw idempotencyKeyConflict();
    return existing.id;
  }

  /** Undefined when the check is finished or deleted. */
  load(id: string): Promise<PendingCheck | undefined> {
    return this.loader.load(id);
  }

  /** Undefined when another worker has finished the check. */
  finish(
    id: string,
    { result, explanations }: Pick<CheckToFinish, 'result' | 'explanations'>,
  ): Promise<FinishedCheck | undefined> {
    return this.finisher.load({ id, result, explanations, traceparent: getTraceparent() });
  }

  /**
   * Keeps the sweeper from enqueueing the check again before its delayed job has run.
   * @param hasFailed whether reads have failed, instead of waiting for room
   */
  postpone(id: string, delayMs: number, hasFailed: boolean): Promise<void> {
    return postponeCheck(this.database, {
      id,
      delayMs: delayMs + this.sweepConfig.SWEEP_AFTER_MS,
      hasFailed,
      retentionMs: this.getRetentionMs(),
    });
  }

  /** The time for which a check without a result is kept. */
  private getRetentionMs(): number {
    return this.callbackConfig.CHECK_RETENTION_MS + this.config.CHECK_REREAD_FOR_MS;
  }

  private async exist(ids: readonly string[]): Promise<boolean[]> {
    const found = new Set(await findCheckIds(this.database, ids));
    return ids.map((id) => found.has(id));
  }

  private async loadAll(ids: readonly string[]): Promise<(PendingCheck | undefined)[]> {
    const rows = await loadPendingChecks(this.database, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }

  /** Where a transaction of several checks fails, each is finished in its own: no tenant's results roll back another's. */
  private async finishAll(results: readonly CheckToFinish[]): Promise<(FinishedCheck | undefined | Error)[]> {
    try {
      return await this.finishTogether(results);
    } catch (error) {
      if (results.length === 1) throw error;
    }
    const finished: (FinishedCheck | undefined | Error)[] = [];
    for (const result of results)
      finished.push(
        await this.finishTogether([result]).then(
          ([row]) => row,
          (error: unknown) => (error instanceof Error ? error : new Error('a check was not finished')),
        ),
      );
    return finished;
  }

  private async finishTogether(results: readonly CheckToFinish[]): Promise<(FinishedCheck | undefined)[]> {
    const rows = await this.database.transaction(async (manager) => {
      const finished = await finishChecks(manager, results, this.callbackConfig.CHECK_RETENTION_MS);
      if (finished.length > 0) await this.endpoints.publishChecks(manager, finished);
      return finished;
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return results.map(({ id }) => {
      const row = byId.get(id);
      byId.delete(id);
      return row;
    });
  }
}

/** SHA-256 digest that identifies the request of an idempotency key. */
const hashRequest = ({ request, callbackUrl }: Pick<NewCheck, 'request' | 'callbackUrl'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([request, callbackUrl]))
    .digest();

const idempotencyKeyConflict = () =>
  conflict('idempotency_key_conflict', 'Another request was made under this idempotency key or request id.');
