import { tokenGatingRequest } from '@app/dto';
import { SafeFetcher } from '@app/http';
import { type CheckRolesJob, PermanentFailure } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../check-roles/check-roles.service.js';
import { AcceptedChecks } from './accepted-checks.js';

type QueuedCheck = Extract<CheckRolesJob, { clientId: string }>;

/** A check that an internal service asks for: validated like one that came over HTTP, and a row like it. */
@Injectable()
export class AcceptQueuedCheck {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeFetcher,
    private readonly accepted: AcceptedChecks,
  ) {}

  /** @throws PermanentFailure for what would be a 4xx over HTTP: asking again changes nothing */
  async accept({ requestId, clientId, account, rules, callbackUrl, reply }: QueuedCheck): Promise<void> {
    const refusal = callbackUrl === undefined ? undefined : this.fetcher.refusalOf(callbackUrl);
    if (refusal !== undefined) throw new PermanentFailure(`callbackUrl: ${refusal}`);
    try {
      this.checks.checkRequest(tokenGatingRequest.parse({ account, rules }));
    } catch (error) {
      throw new PermanentFailure(error instanceof Error ? error.message : 'the request is not valid');
    }
    await this.accepted.accept({
      id: requestId,
      clientId,
      request: { account, rules },
      callbackUrl,
      reply: reply ?? false,
      idempotencyKey: undefined,
    });
  }
}
