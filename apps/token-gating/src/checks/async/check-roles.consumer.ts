import { AppError, type InputIssue } from '@app/common';
import {
  storedTokenGatingRequest,
  type TokenGatingExplanation,
  type TokenGatingRequest,
  tokenGatingRequest,
} from '@app/dto';
import {
  type CheckRolesJob,
  checkRolesQueue,
  Consumer,
  Consumes,
  RetryLaterError,
  PermanentJobError,
} from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../../rules/check-result.js';
import { CheckRolesService } from '../check-roles.service.js';
import { CheckResultPublisher } from './check-sweeper.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckRepository } from './check.repository.js';
import type { PendingCheck } from './checks.queries.js';
import { calculateReadRetryDelay, calculateRoomRetryDelay } from './calculate-read-retry-delay.js';
import { StatementError } from '@app/database';
import { SafeHttpClient } from '@app/http';
import { invalidInput } from '@app/service';
import { isIdentityUnavailable } from '../../clients/identity-client.js';
import { PlanUsageClient } from '../../clients/plan-usage-client.js';

const GATEWAY_RETRY_MS = 5_000;

/** Counts queued checks on the plan of their client application (contract.md section 5). */
@Injectable()
export class QueuedCheckUsageService {
  constructor(private readonly usage: PlanUsageClient) {}

  /** @throws PermanentJobError when the plan has no request left, RetryLaterError while the gateway is unavailable */
  async countCheck(clientId: string): Promise<void> {
    switch (await this.usage.countRequest(clientId)) {
      case 'counted':
        return;
      case 'unknown_client':
        throw new PermanentJobError('clientId: there is no such client application');
      case 'month_used_up':
        throw new PermanentJobError("clientId: the requests of this month's plan are used up");
      case undefined:
        throw new RetryLaterError(GATEWAY_RETRY_MS);
    }
  }
}

const IDENTITY_RETRY_MS = 5_000;

type QueuedCheck = Extract<CheckRolesJob, { clientId: string }>;

/** Accepts checks of internal services: validated, counted and stored like checks that came over HTTP. */
@Injectable()
export class QueuedCheckService {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeHttpClient,
    private readonly usage: QueuedCheckUsageService,
    private readonly accepted: CheckRepository,
  ) {}

  /**
   * @throws PermanentJobError for what would be a 4xx over HTTP
   * @throws RetryLaterError while the gateway or identity is unavailable
   */
  async accept(job: QueuedCheck): Promise<void> {
    await this.validate(job);
    const { requestId, clientId, account, rules, callbackUrl, reply } = job;
    // A stored check was counted already: a job runs again when its worker was lost.
    if (!(await this.accepted.has(requestId))) await this.usage.countCheck(clientId);
    const request = { account, rules };
    const requester = { clientId };
    const check = { id: requestId, clientId, tenantId: null, requester, request, callbackUrl };
    const options = { reply: reply ?? false, idempotencyKey: undefined };
    await this.accepted.accept({ ...check, ...options }).catch((error: unknown) => {
      if (isClientError(error)) throw new PermanentJobError(`requestId: ${error.message}`);
      throw isDataError(error) ? new PermanentJobError('The request cannot be stored.') : error;
    });
  }

  private async validate({ clientId, account, rules, callbackUrl }: QueuedCheck): Promise<void> {
    const problem = callbackUrl === undefined ? undefined : this.fetcher.findUrlProblem(callbackUrl);
    if (problem !== undefined) throw new PermanentJobError(`callbackUrl: ${problem}`);
    const request = tokenGatingRequest.safeParse({ account, rules });
    if (!request.success) throw new PermanentJobError(formatReasons(invalidInput(request.error.issues)));
    try {
      this.checks.validateRequest(request.data);
      await this.checks.validateAccount(request.data, { clientId });
    } catch (error) {
      if (isIdentityUnavailable(error)) throw new RetryLaterError(IDENTITY_RETRY_MS);
      throw isClientError(error) ? new PermanentJobError(formatReasons(error)) : error;
    }
  }
}

/** SQLSTATE class 22, data exception: a retry fails in the same way. */
const isDataError = (error: unknown): boolean =>
  error instanceof StatementError && error.sqlState.startsWith('22');

const isClientError = (error: unknown): error is AppError =>
  error instanceof AppError && error.statusCode < 500;

function formatReasons({ message, details }: AppError): string {
  const issues = (details['issues'] ?? []) as readonly InputIssue[];
  return issues.length === 0 ? message : issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

interface RunResult {
  readonly result: CheckResult;
  /** Undefined where nobody asked for them, or the check failed as a whole. */
  readonly explanations: readonly TokenGatingExplanation[] | undefined;
  /** Whether reads were not made because too many were in progress, so that nothing has failed. */
  readonly lacksRoom: boolean;
}

/** Runs an accepted check. Transient failures are errors of the result; the consumer decides whether to retry. */
@Injectable()
export class RunCheckService {
  constructor(private readonly checks: CheckRolesService) {}

  async run({
    request: { account, rules, explain = false },
    clientId,
    tenantId,
    requesterUserId,
  }: Pick<PendingCheck, 'request' | 'clientId' | 'tenantId' | 'requesterUserId'>): Promise<RunResult> {
    const request = storedTokenGatingRequest.parse({ account, rules });
    const requester = requesterUserId === null ? { clientId } : { userId: requesterUserId };
    try {
      const options = { requester, tenantId, explain };
      const { response, explanations, lacksRoom } = await this.checks.checkRolesForLater(request, options);
      const { roles = [], errors = [] } = response;
      return { result: { roles, errors }, explanations, lacksRoom };
    } catch (error) {
      if (error instanceof AppError && error.statusCode < 500)
        return { result: toFailedResult(request, error), explanations: undefined, lacksRoom: false };
      throw error;
    }
  }
}

/**
 * The result of a check that was valid when accepted and is not any more, because a grant was revoked or wallets were added. A tree
 * has one error without a path, because none of its rules was judged.
 */
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
    const finished = await this.checks.finish(check.id, run);
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
