import { Injectable } from '@nestjs/common';
import { checkNotFinished, checkNotFound, callbackMissing } from './async-check.errors.js';
import { CheckResultRepository } from './check-result.repository.js';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { DeliverySignal } from '../../callbacks/delivery-signal.js';

/** Sends a result's callback again, as a delivery of its own: receivers that remember ids take it for a new one. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly answers: CheckResultRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly bell: DeliverySignal,
  ) {}

  /** @returns the id of the new delivery @throws AppError 404, or 409 when there is nothing to deliver */
  async redeliver(requestId: string, clientId: string): Promise<string> {
    const answer = await this.answers.find(requestId, clientId);
    if (!answer) throw checkNotFound();
    if (answer.callbackUrl === null) throw callbackMissing();
    if (answer.result === null) throw checkNotFinished();
    const deliveryId = await this.deliveries.redeliver(requestId, clientId);
    if (deliveryId === undefined) throw callbackMissing();
    this.bell.notify();
    return deliveryId;
  }
}
