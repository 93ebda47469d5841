import { SECOND_MS } from '@app/common';
import { Database, lockTransaction } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import {
  claimOperations,
  confirmClaims,
  type FailedOperation,
  findChainsOfDue,
  holdOperations,
  postponeOperations,
  releaseClaims,
} from './operation-queue.queries.js';
import { MAX_LAPSED, OperationStateRepository } from './operation-state.repository.js';
import type { ClaimedOperation } from './bundles/claimed-operation.js';

/** The pause after the first failed simulation. Each further failure doubles it, up to an hour. */
const FIRST_PAUSE_MS = SECOND_MS;
const LAPSE_INTERVAL_MS = 10 * SECOND_MS;

/** Signed operations as a queue: a claim postpones them, so no transaction is open while they are simulated. */
@Injectable()
export class OperationQueue {
  /** Time by `performance.now()`, by chain. */
  private readonly nextLapseAt = new Map<number, number>();

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly context: ServiceContext,
  ) {}

  /** @param executor whose pending transactions a simulation can follow; without one, everything waits until they are mined */
  async claim(chainId: number, executor?: Address): Promise<ClaimedOperation[]> {
    await this.endLapsed(chainId);
    return this.database.transaction(async (manager) => {
      // Claims at the same time would split lanes.
      await lockTransaction(manager, `operation claims of chain ${chainId}`);
      return claimOperations(manager, chainId, executor);
    });
  }

  /** @returns the operations that may still be sent: not frozen and not cancelled since they were claimed */
  confirm(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return confirmClaims(this.database, ids);
  }

  /** The chains of those of the operations that wait to be sent. */
  findChainsOfDue(ids: readonly string[]): Promise<number[]> {
    return findChainsOfDue(this.database, ids);
  }

  /** Makes operations that are in no bundle due again. */
  async release(ids: readonly string[], delayMs = 0): Promise<void> {
    if (ids.length > 0) await releaseClaims(this.database, ids, delayMs);
  }

  async hold(held: readonly FailedOperation[], pauseMs: number): Promise<void> {
    if (held.length > 0) await holdOperations(this.database, held, pauseMs);
  }

  postpone(id: string, reason: string): Promise<void> {
    return this.postponeAll([{ id, reason }]);
  }

  /** A reason that is not that of the last time is logged. @param firstPauseMs the pause after the first failure */
  async postponeAll(failed: readonly FailedOperation[], firstPauseMs = FIRST_PAUSE_MS): Promise<void> {
    if (failed.length === 0) return;
    const postponed = await this.database.transaction(async (manager) => {
      const all = await postponeOperations(manager, failed, firstPauseMs);
      await this.states.markStuck(
        manager,
        all.filter(({ isStuck }) => isStuck).map(({ id }) => id),
      );
      return all;
    });
    const changed = new Set(postponed.filter(({ isChanged }) => isChanged).map(({ id }) => id));
    for (const { id, reason } of failed.filter((one) => changed.has(one.id)))
      this.context.logger.info({ operationId: id, reason }, 'a user operation failed its simulation');
  }

  private async endLapsed(chainId: number): Promise<void> {
    const now = performance.now();
    if (now < (this.nextLapseAt.get(chainId) ?? 0)) return;
    this.nextLapseAt.set(chainId, now + LAPSE_INTERVAL_MS);
    const count = await this.states.endLapsed(chainId);
    // The next claim goes on with the others.
    if (count === MAX_LAPSED) this.nextLapseAt.delete(chainId);
  }
}
