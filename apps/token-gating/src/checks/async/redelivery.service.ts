import { conflict, notFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { callbackMissing } from '../../callbacks/callback.errors.js';
import { CheckResultRepository } from './check.repository.js';
import type { CheckReader } from './checks.queries.js';
import { DeliveryRepository, DeliverySignal } from '../../callbacks/delivery.repository.js';

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
