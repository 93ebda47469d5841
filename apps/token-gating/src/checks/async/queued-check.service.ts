import { AppError, type InputIssue } from '@app/common';
import { StatementError } from '@app/database';
import { tokenGatingRequest } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { type CheckRolesJob, PermanentJobError, RetryLaterError } from '@app/queues';
import { invalidInput } from '@app/service';
import { Injectable } from '@nestjs/common';
import { isIdentityUnavailable } from '../../clients/identity-client.js';
import { CheckRolesService } from '../check-roles.service.js';
import { AcceptedCheckRepository } from './accepted-check.repository.js';
import { QueuedCheckUsageService } from './queued-check-usage.service.js';

const IDENTITY_AWAY_MS = 5_000;

type QueuedCheck = Extract<CheckRolesJob, { clientId: string }>;

/** A check that an internal service asks for: validated and counted like one that came over HTTP, and a row like it. */
@Injectable()
export class QueuedCheckService {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeHttpClient,
    private readonly counter: QueuedCheckUsageService,
    private readonly accepted: AcceptedCheckRepository,
  ) {}

  /**
   * @throws PermanentFailure for what would be a 4xx over HTTP: asking again changes nothing
   * @throws RetryLater while nobody can count it or tell whether the account may be checked
   */
  async accept(job: QueuedCheck): Promise<void> {
    await this.check(job);
    const { requestId, clientId, account, rules, callbackUrl, reply } = job;
    // What was accepted was counted: a job comes again when its worker was lost.
    if (!(await this.accepted.has(requestId))) await this.counter.countCheck(clientId);
    const request = { account, rules };
    const requester = { clientId };
    const check = { id: requestId, clientId, requester, request, callbackUrl, idempotencyKey: undefined };
    await this.accepted.accept({ ...check, reply: reply ?? false }).catch((error: unknown) => {
      if (isRefusal(error)) throw new PermanentJobError(`requestId: ${error.message}`);
      throw cannotBeKept(error) ? new PermanentJobError('The request cannot be stored.') : error;
    });
  }

  private async check({ clientId, account, rules, callbackUrl }: QueuedCheck): Promise<void> {
    const refusal = callbackUrl === undefined ? undefined : this.fetcher.findUrlProblem(callbackUrl);
    if (refusal !== undefined) throw new PermanentJobError(`callbackUrl: ${refusal}`);
    const request = tokenGatingRequest.safeParse({ account, rules });
    if (!request.success) throw new PermanentJobError(reasonsOf(invalidInput(request.error.issues)));
    try {
      this.checks.validateRequest(request.data);
      await this.checks.validateAccount(request.data, { clientId });
    } catch (error) {
      if (isIdentityUnavailable(error)) throw new RetryLaterError(IDENTITY_AWAY_MS);
      throw isRefusal(error) ? new PermanentJobError(reasonsOf(error)) : error;
    }
  }
}

/** SQLSTATE class 22: PostgreSQL refuses the data itself, and will again. */
const cannotBeKept = (error: unknown): boolean =>
  error instanceof StatementError && error.sqlState.startsWith('22');

const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.statusCode < 500;

function reasonsOf({ message, details }: AppError): string {
  const issues = (details['issues'] ?? []) as readonly InputIssue[];
  return issues.length === 0 ? message : issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
}
