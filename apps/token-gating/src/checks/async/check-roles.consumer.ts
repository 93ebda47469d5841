import { AppError } from '@app/common';
import { storedTokenGatingRequest, type TokenGatingRequest } from '@app/dto';
import { type CheckRolesJob, checkRolesQueue, Consumer, Consumes, RetryLaterError } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../../rules/check-result.js';
import { CheckRolesService } from '../check-roles.service.js';
import { QueuedCheckService } from './queued-check.service.js';
import { CheckResultPublisher } from './check-sweeper.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckRepository } from './check.repository.js';
import type { PendingCheck } from './checks.queries.js';
import { calculateReadRetryDelay, calculateRoomRetryDelay } from './calculate-read-retry-delay.js';

interface RunResult {
  readonly result: CheckResult;
  /** Whether reads were not made because too many were in progress, so that nothing has failed. */
  readonly lacksRoom: boolean;
}

/** Runs an accepted check. Transient failures are errors of the result; the consumer decides whether to retry. */
@Injectable()
export class RunCheckService {
  constructor(private readonly checks: CheckRolesService) {}

  async run({
    request: { account, rules },
    clientId,
    tenantId,
    requesterUserId,
  }: Pick<PendingCheck, 'request' | 'clientId' | 'tenantId' | 'requesterUserId'>): Promise<RunResult> {
    const request = storedTokenGatingRequest.parse({ account, rules });
    const requester = requesterUserId === null ? { clientId } : { userId: requesterUserId };
    try {
      const { response, lacksRoom } = await this.checks.checkRolesForLater(request, { requester, tenantId });
      const { roles = [], errors = [] } = response;
      return { result: { roles, errors }, lacksRoom };
    } catch (error) {
      if (error instanceof AppError && error.statusCode < 500)
        return { result: toFailedResult(request, error), lacksRoom: false };
      throw error;
    }
  }
}

/** The result of a check that was valid when accepted and is not any more, because a grant was revoked or wallets were added. */
function toFailedResult({ rules }: TokenGatingRequest, { name, message }: AppError): CheckResult {
  const ids = [...new Set(rules.map(({ roleId }) => roleId))];
  return {
    roles: ids.map((id) => ({ id, granted: false })),
    errors: rules.map(({ roleId }, rule) => ({ roleId, rule, name, message, retryable: false })),
  };
}

const CONCURRENCY = 256;

/** Runs accepted checks. When several workers run the same check, only the first result is stored. */
@Consumes(checkRolesQueue, { concurrency: CONCURRENCY })
export class CheckRolesConsumer extends Consumer<CheckRolesJob> {
  constructor(
    private readonly config: AsyncCheckConfig,
    private readonly queuedChecks: QueuedCheckService,
    private readonly checks: CheckRepository,
    private readonly runner: RunCheckService,
    private readonly publisher: CheckResultPublisher,
  ) {
    super();
  }

  async handle(job: CheckRolesJob): Promise<void> {
    if ('clientId' in job) await this.queuedChecks.accept(job);
    const check = await this.checks.load(job.requestId);
    if (!check) return;
    const run = await this.runner.run(check);
    await this.retryTransientErrors(check, run);
    const { result } = run;
    const finished = await this.checks.finish(check.id, result);
    if (finished) await this.publisher.publish(finished);
  }

  /** @throws RetryLaterError when there was no room for reads, and when errors are retryable for less than CHECK_REREAD_FOR_MS */
  private async retryTransientErrors(check: PendingCheck, { result, lacksRoom }: RunResult): Promise<void> {
    if (!result.errors.some(({ retryable }) => retryable)) return;
    const nowMs = Date.now();
    const delayMs = lacksRoom
      ? calculateRoomRetryDelay(check.createdAt, this.config, nowMs)
      : calculateReadRetryDelay(check.failingSince ?? new Date(nowMs), this.config, nowMs);
    if (delayMs === undefined) return;
    await this.checks.postpone(check.id, delayMs, !lacksRoom);
    throw new RetryLaterError(delayMs);
  }
}
