import { randomUUID } from 'node:crypto';
import type { TokenGatingRequest } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { checkRolesQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { callbackUrlInvalid, callbackMissing } from '../../callbacks/callback.errors.js';
import type { Requester } from '../../subjects/user-addresses.service.js';
import { CheckRolesService } from '../check-roles.service.js';
import { CheckRepository, CheckResultRepository } from './check.repository.js';
import type { StoredRequest, CheckReader } from './checks.queries.js';
import { conflict, notFound } from '@app/common';
import { DeliveryRepository, DeliverySignal } from '../../callbacks/delivery.repository.js';

interface AcceptCheckOptions {
  client: { id: string; ownerId: string };
  requester: Requester;
  /** Body before validation, as received. */
  originalRequest: StoredRequest;
  idempotencyKey: string | undefined;
}

/** Accepts a check whose result is polled or posted. The row is durable; its job may get lost. */
@Injectable()
export class AcceptCheckService {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly fetcher: SafeHttpClient,
    private readonly accepted: CheckRepository,
    @InjectProducer(checkRolesQueue) private readonly producer: Producer<typeof checkRolesQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the id to poll with, after the check is stored */
  async accept(
    request: TokenGatingRequest,
    { client, requester, originalRequest, idempotencyKey }: AcceptCheckOptions,
  ): Promise<string> {
    this.checks.validateRequest(request);
    this.checkCallbackUrl(request.callbackUrl);
    await this.checks.validateAccount(request, requester);
    const { account, rules } = originalRequest;
    const requestId = await this.accepted.accept({
      id: randomUUID(),
      clientId: client.id,
      tenantId: client.ownerId,
      requester,
      request: { account, rules, ...(request.explain === true && { explain: true }) },
      callbackUrl: request.callbackUrl,
      reply: false,
      idempotencyKey,
    });
    this.enqueue(requestId);
    return requestId;
  }

  private checkCallbackUrl(url: string | undefined): void {
    if (url === undefined) return;
    const problem = this.fetcher.findUrlProblem(url);
    if (problem !== undefined) throw callbackUrlInvalid(problem);
  }

  /** The job is not awaited: the sweeper enqueues the check again when its job is lost. */
  private enqueue(requestId: string): void {
    this.producer.enqueue({ version: 1, requestId }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, requestId }, 'check not enqueued; the sweeper will retry');
    });
  }
}

export const checkNotFound = () => notFound('check_not_found', 'There is no such check.');

const checkNotFinished = () => conflict('check_result_required', 'The check has no result yet.');

/** Sends the callback of a result again, under a new delivery id, so that receivers do not discard it as a repetition. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly results: CheckResultRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly deliverySignal: DeliverySignal,
  ) {}

  /** @returns the id of the new delivery @throws AppError 404, or 409 when there is nothing to deliver or it was delivered too often */
  async redeliver(requestId: string, reader: CheckReader): Promise<string> {
    const stored = await this.results.find(requestId, reader);
    if (!stored) throw checkNotFound();
    if (stored.callbackUrl === null) throw callbackMissing();
    if (stored.result === null) throw checkNotFinished();
    const deliveryId = await this.deliveries.redeliver(requestId, reader.clientId);
    if (deliveryId === undefined) throw callbackMissing();
    this.deliverySignal.notify();
    return deliveryId;
  }
}
