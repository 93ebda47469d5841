import { Injectable } from '@nestjs/common';
import { checkNotFinished, checkNotFound, noCallback } from '../async-checks/async-check.errors.js';
import { CheckAnswers } from '../async-checks/check-answers.js';
import { Deliveries } from './deliveries.js';
import { DeliveryBell } from './delivery-bell.js';

/** Sends a result's callback again, as a delivery of its own: receivers that remember ids take it for a new one. */
@Injectable()
export class RedeliverService {
  constructor(
    private readonly answers: CheckAnswers,
    private readonly deliveries: Deliveries,
    private readonly bell: DeliveryBell,
  ) {}

  /** @returns the id of the new delivery @throws AppError 404, or 409 when there is nothing to deliver */
  async redeliver(requestId: string, clientId: string): Promise<string> {
    const answer = await this.answers.find(requestId, clientId);
    if (!answer) throw checkNotFound();
    if (answer.callbackUrl === null) throw noCallback();
    if (answer.result === null) throw checkNotFinished();
    const deliveryId = await this.deliveries.redeliver(requestId, clientId);
    if (deliveryId === undefined) throw noCallback();
    this.bell.ring();
    return deliveryId;
  }
}
