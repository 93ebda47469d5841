import { createBatcher } from '@app/common';
import { Database, isRolledBack } from '@app/database';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  listCapRoom,
  type NewReservations,
  createFullClients,
  NoRoomError,
  reserveTogether,
  settleOperations,
} from '../limits/reservations.queries.js';
import { toReservations } from '../limits/cap.js';
import { ExecutorChainsConfig } from './execution/executor.config.js';
import {
  OperationStateRepository,
  toAccountLock,
  OperationStateHooks,
} from './execution/operation-state.repository.js';
import { frozen } from '../limits/freezes.errors.js';
import { lockUnlessFrozen } from '../limits/freezes.queries.js';
import { reserveWithinCaps } from '../policies/reserve-within-caps.js';
import { acceptanceTimeout, PastDeadlineError, type RequestDeadline } from '../request-deadline.js';
import { chooseSequence } from './choose-sequence.js';
import { bindKey, type BoundKey, type IdempotencyScope } from './idempotency-keys.queries.js';
import type { OperationPlan } from './plan-operation.js';
import {
  accountDeploying,
  idempotencyKeyConflict,
  unfinishedOperationLimitExceeded,
} from './user-operations.errors.js';
import {
  insertOperations,
  type LaneState,
  loadLaneStates,
  type NewOperation,
} from './user-operations.queries.js';

/** Operations that are accepted together. */
const MAX_TOGETHER = 50;

type OperationKey = IdempotencyScope & Pick<BoundKey, 'requestHash'>;

/** A plan, and the time until which its request may have it accepted. */
export type DatedPlan = OperationPlan & { readonly deadline: RequestDeadline };

/** The group's transaction was rolled back: the operation is to be accepted in its own transaction. */
const ALONE = 'alone';
type Outcome = 'accepted' | typeof ALONE | Error;

/** Stores operations as `accepted`, with their nonces, reservations and idempotency keys. */
@Injectable()
export class AcceptOperationService {
  /** Operations of requests at the same time are accepted in one transaction. */
  private readonly together = createBatcher((plans: readonly DatedPlan[]) => this.acceptTogether(plans), {
    batchWindowMs: 0,
    maxBatchSize: MAX_TOGETHER,
  });

  private readonly full = createFullClients();

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly chains: ExecutorChainsConfig,
  ) {}

  /**
   * @throws AppError 403 `frozen`, `policy_limit_exceeded`, `policy_forbidden`, 409 `account_deploying`, `idempotency_key_conflict`, 429
   *   `unfinished_operation_limit_exceeded`, 503 `acceptance_timeout`
   */
  async accept(plan: DatedPlan, key: OperationKey | undefined): Promise<void> {
    const isFull = this.full.has(plan.operation.clientId);
    if (key === undefined && !isFull && (await this.together.load(plan)) === 'accepted') return;
    plan.deadline.check();
    await this.database.transaction((manager) => this.acceptAlone(manager, plan, key));
  }

  /**
   * Judges a plan as `accept` does, and rolls that back.
   * @returns what the operation would leave of the caps that it counts under
   */
  dryRun(plan: DatedPlan): Promise<Awaited<ReturnType<typeof listCapRoom>>> {
    return this.database.dryRun(async (manager) => {
      await this.acceptAlone(manager, plan, undefined);
      return listCapRoom(manager, plan.operation.id, plan.uses);
    });
  }

  private async acceptAlone(
    manager: EntityManager,
    plan: DatedPlan,
    key: OperationKey | undefined,
  ): Promise<void> {
    if (key && !(await bindKey(manager, key, { ...key, operationId: plan.operation.id })))
      throw idempotencyKeyConflict();
    const [refusal] = await this.store(manager, [plan]);
    if (refusal) throw refusal;
    // Last, because operations of other accounts wait for the counters of an application.
    await reserveWithinCaps(manager, toRequest(plan));
    // The statements may have waited for locks.
    plan.deadline.check();
  }

  /**
   * Accepts operations in one transaction. Operations that exceed a cap are retried one by one, so that an exhausted
   * application does not reject the whole group. If the group's transaction fails, every operation is retried.
   */
  private async acceptTogether(plans: readonly DatedPlan[]): Promise<Outcome[]> {
    const full = new Set<string>();
    const late = new Set(plans.filter(({ deadline }) => deadline.isPast));
    const attempt = async () => {
      const some = plans.filter((plan) => !full.has(plan.operation.id) && !late.has(plan));
      const outcomes = await this.storeTogether(some);
      return new Map(some.map(({ operation }, index) => [operation.id, outcomes[index]]));
    };
    const outcomes = await attempt()
      .catch((error: unknown) => {
        if (!(error instanceof NoRoomError)) throw error;
        for (const { operation } of plans.filter((plan) => error.operationIds.has(plan.operation.id))) {
          full.add(operation.id);
          this.full.set(operation.clientId, true);
        }
        return attempt();
      })
      .catch((error: unknown) => {
        const isAlone =
          error instanceof NoRoomError || error instanceof PastDeadlineError || isRolledBack(error);
        if (isAlone) return undefined;
        throw error;
      });
    return plans.map((plan) =>
      late.has(plan) ? acceptanceTimeout() : (outcomes?.get(plan.operation.id) ?? ALONE),
    );
  }

  private async storeTogether(plans: readonly DatedPlan[]): Promise<Outcome[]> {
    if (plans.length === 0) return [];
    return this.database.transaction(async (manager) => {
      const refusals = await this.store(manager, plans);
      const requests = plans.filter((_, index) => refusals[index] === undefined).map(toRequest);
      await reserveTogether(manager, requests);
      if (plans.some(({ deadline }) => deadline.isPast)) throw new PastDeadlineError();
      return refusals.map((refusal) => refusal ?? 'accepted');
    });
  }

  /**
   * Stores operations under the locks of their accounts' operations on the chain.
   * @returns for each why it is not stored
   */
  private async store(
    manager: EntityManager,
    plans: readonly OperationPlan[],
  ): Promise<(Error | undefined)[]> {
    const scopes = await lockUnlessFrozen(
      manager,
      plans.map(({ operation: { accountId, clientId, chainId, paymaster } }) => ({
        ...{ accountId, clientId, paymaster, chain: String(chainId) },
        lock: toAccountLock(accountId, chainId),
      })),
    );
    const lanes = await loadLaneStates(
      manager,
      plans.map(({ operation, state }) => ({ ...operation, first: state.nextSequence })),
    );
    const accepted: NewOperation[] = [];
    const refusals = plans.map((plan, index) => {
      const scope = scopes[index];
      if (scope) return frozen(scope);
      const lane = lanes[index];
      if (!lane) throw new Error('a lane has no state');
      const operation = placeInLane(plan, lane, {
        before: accepted,
        maxUnfinished: this.chains.getMaxUnfinished(plan.operation.chainId),
      });
      if (operation instanceof Error) return operation;
      accepted.push(operation);
      return undefined;
    });
    await insertOperations(manager, accepted);
    await this.states.recordAccepted(
      manager,
      accepted.map(({ id }) => id),
    );
    return refusals;
  }
}

/** @param options.before operations that the same transaction stores before this one */
function placeInLane(
  { operation, state }: OperationPlan,
  { unfinishedCount, taken, isDeploying }: LaneState,
  { before, maxUnfinished }: { readonly before: readonly NewOperation[]; readonly maxUnfinished: number },
): NewOperation | Error {
  const ofAccount = before.filter(
    ({ accountId, chainId }) => accountId === operation.accountId && chainId === operation.chainId,
  );
  const unfinished = unfinishedCount + ofAccount.length;
  // The node of the plan may be a block behind: another deployment would be refused for ever (AA10).
  if (!state.isDeployed && (unfinished > 0 || isDeploying)) return accountDeploying();
  if (unfinished >= maxUnfinished) return unfinishedOperationLimitExceeded(maxUnfinished);
  const ofLane = ofAccount.filter(({ nonceKey }) => nonceKey === operation.nonceKey);
  const all = [...taken, ...ofLane.map(({ nonceSequence }) => nonceSequence)];
  return { ...operation, nonceSequence: chooseSequence(state.nextSequence, all) };
}

const toRequest = ({ operation: { id, accountId, clientId }, uses }: OperationPlan): NewReservations => ({
  operationId: id,
  clientId,
  reservations: toReservations(uses, accountId, new Date()),
});

/** Lets caps count what operations have used instead of what they have reserved, in the transaction of each change. */
@Injectable()
export class CapSettlementService implements OnModuleInit {
  constructor(private readonly hooks: OperationStateHooks) {}

  onModuleInit(): void {
    this.hooks.add(
      (manager, changes) =>
        settleOperations(
          manager,
          changes.map(({ id }) => id),
        ),
      // An operation is `submitted` again after a reorganisation.
      ['submitted', 'included', 'final', 'reverted', 'rejected', 'expired'],
    );
  }
}
