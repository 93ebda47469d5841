import { AppError, type InputIssue } from '@app/common';
import { StatementRefused } from '@app/database';
import { tokenGatingRequest } from '@app/dto';
import { SafeFetcher } from '@app/http';
import { type CheckRolesJob, PermanentFailure, RetryLater } from '@app/queues';
import { invalidInput } from '@app/service';
import { Injectable } from '@nestjs/common';
import { isIdentityAway } from '../identity/identity-away.js';
import { CheckRolesService } from '../check-roles/check-roles.service.js';
import { AcceptedChecks } from './accepted-checks.js';
import { CountQueuedCheck } from './count-queued-check.js';

const IDENTITY_AWAY_MS = 5_000;

type QueuedCheck = Extract<CheckRolesJob, { clientId: string }>;

/** A check that an internal service asks for: validated and counted like one that came over HTTP, and a row like it. */
@Injectable()
export class AcceptQueuedCheck {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeFetcher,
    private readonly counter: CountQueuedCheck,
    private readonly accepted: AcceptedChecks,
  ) {}

  /**
   * @throws PermanentFailure for what would be a 4xx over HTTP: asking again changes nothing
   * @throws RetryLater while nobody can count it or tell whether the account may be checked
   */
  async accept(job: QueuedCheck): Promise<void> {
    await this.check(job);
    const { requestId, clientId, account, rules, callbackUrl, reply } = job;
    // What was accepted was counted: a job comes again when its worker was lost.
    if (!(await this.accepted.has(requestId))) await this.counter.count(clientId);
    const request = { account, rules };
    const asker = { clientId };
    const check = { id: requestId, clientId, asker, request, callbackUrl, idempotencyKey: undefined };
    await this.accepted.accept({ ...check, reply: reply ?? false }).catch((error: unknown) => {
      if (isRefusal(error)) throw new PermanentFailure(`requestId: ${error.message}`);
      throw cannotBeKept(error) ? new PermanentFailure('The request cannot be stored.') : error;
    });
  }

  private async check({ clientId, account, rules, callbackUrl }: QueuedCheck): Promise<void> {
    const refusal = callbackUrl === undefined ? undefined : this.fetcher.refusalOf(callbackUrl);
    if (refusal !== undefined) throw new PermanentFailure(`callbackUrl: ${refusal}`);
    const request = tokenGatingRequest.safeParse({ account, rules });
    if (!request.success) throw new PermanentFailure(reasonsOf(invalidInput(request.error.issues)));
    try {
      this.checks.checkRequest(request.data);
      await this.checks.checkAccount(request.data, { clientId });
    } catch (error) {
      if (isIdentityAway(error)) throw new RetryLater(IDENTITY_AWAY_MS);
      throw isRefusal(error) ? new PermanentFailure(reasonsOf(error)) : error;
    }
  }
}

/** SQLSTATE class 22: PostgreSQL refuses the data itself, and will again. */
const cannotBeKept = (error: unknown): boolean =>
  error instanceof StatementRefused && error.sqlState.startsWith('22');

const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.statusCode < 500;

function reasonsOf({ message, details }: AppError): string {
  const issues = (details['issues'] ?? []) as readonly InputIssue[];
  return issues.length === 0 ? message : issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
}
