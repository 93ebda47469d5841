import { randomUUID } from 'node:crypto';
import type { TokenGatingRequest } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Requester } from '../../subjects/requester.js';
import { CheckRolesService } from '../check-roles.service.js';
import { AcceptedCheckRepository } from './accepted-check.repository.js';
import type { StoredRequest } from './async-check.js';
import { callbackUrlInvalid } from './async-check.errors.js';

export interface AcceptCheckOptions {
  clientId: string;
  requester: Requester;
  /** As the caller wrote it. */
  originalRequest: StoredRequest;
  idempotencyKey: string | undefined;
}

/** Takes on a check whose result is polled or posted: first a row, which is the promise, then a job, which may get lost. */
@Injectable()
export class AcceptCheckService {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeHttpClient,
    private readonly accepted: AcceptedCheckRepository,
    @InjectProducer(checkRolesQueue) private readonly producer: Producer<typeof checkRolesQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the id to poll with, once the check is durable */
  async accept(
    request: TokenGatingRequest,
    { clientId, requester, originalRequest, idempotencyKey }: AcceptCheckOptions,
  ): Promise<string> {
    this.checks.validateRequest(request);
    this.checkCallbackUrl(request.callbackUrl);
    await this.checks.validateAccount(request, requester);
    const { account, rules } = originalRequest;
    const requestId = await this.accepted.accept({
      id: randomUUID(),
      clientId,
      requester,
      request: { account, rules },
      callbackUrl: request.callbackUrl,
      reply: false,
      idempotencyKey,
    });
    this.enqueue(requestId);
    return requestId;
  }

  private checkCallbackUrl(url: string | undefined): void {
    if (url === undefined) return;
    const refusal = this.fetcher.findUrlProblem(url);
    if (refusal !== undefined) throw callbackUrlInvalid(refusal);
  }

  /** Nobody waits for it: the row is the promise, and the sweeper finds a row whose job did not arrive. */
  private enqueue(requestId: string): void {
    this.producer.enqueue({ version: 1, requestId }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, requestId }, 'not enqueued, left to the sweeper');
    });
  }
}
