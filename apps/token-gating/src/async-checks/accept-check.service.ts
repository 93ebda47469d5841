import { randomUUID } from 'node:crypto';
import type { TokenGatingRequest } from '@app/dto';
import { SafeFetcher } from '@app/http';
import { checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Asker } from '../check-roles/asker.js';
import { CheckRolesService } from '../check-roles/check-roles.service.js';
import { AcceptedChecks } from './accepted-checks.js';
import type { StoredRequest } from './async-check.js';
import { callbackRefused } from './async-check.errors.js';

export interface Acceptance {
  clientId: string;
  asker: Asker;
  /** As the caller wrote it. */
  raw: StoredRequest;
  idempotencyKey: string | undefined;
}

/** Takes on a check whose result is polled or posted: first a row, which is the promise, then a job, which may get lost. */
@Injectable()
export class AcceptCheckService {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeFetcher,
    private readonly accepted: AcceptedChecks,
    @InjectProducer(checkRolesQueue) private readonly producer: Producer<typeof checkRolesQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the id to poll with, once the check is durable */
  async accept(
    request: TokenGatingRequest,
    { clientId, asker, raw, idempotencyKey }: Acceptance,
  ): Promise<string> {
    this.checks.checkRequest(request);
    this.checkCallbackUrl(request.callbackUrl);
    await this.checks.checkAccount(request, asker);
    const { account, rules } = raw;
    const requestId = await this.accepted.accept({
      id: randomUUID(),
      clientId,
      asker,
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
    const refusal = this.fetcher.refusalOf(url);
    if (refusal !== undefined) throw callbackRefused(refusal);
  }

  /** Nobody waits for it: the row is the promise, and the sweeper finds a row whose job did not arrive. */
  private enqueue(requestId: string): void {
    this.producer.enqueue({ version: 1, requestId }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, requestId }, 'not enqueued, left to the sweeper');
    });
  }
}
