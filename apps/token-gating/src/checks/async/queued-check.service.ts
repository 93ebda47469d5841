import { AppError, type InputIssue } from '@app/common';
import { StatementError } from '@app/database';
import { tokenGatingRequest } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { type CheckRolesJob, PermanentJobError, RetryLaterError } from '@app/queues';
import { invalidInput } from '@app/service';
import { Injectable } from '@nestjs/common';
import { isIdentityUnavailable } from '../../clients/identity-client.js';
import { PlanUsageClient } from '../../clients/plan-usage-client.js';
import { CheckRolesService } from '../check-roles.service.js';
import { CheckRepository } from './check.repository.js';

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
