import { deliverCallbackQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { checkNotFinished, checkNotFound, noCallback } from '../async-checks/async-check.errors.js';
import { CheckAnswers } from '../async-checks/check-answers.js';
import { Deliveries } from './deliveries.js';

/** Sends a result's callback again, as a delivery of its own: receivers that remember ids take it for a new one. */
@Injectable()
export class RedeliverService {
  constructor(
    private readonly answers: CheckAnswers,
    private readonly deliveries: Deliveries,
    @InjectProducer(deliverCallbackQueue) private readonly producer: Producer<typeof deliverCallbackQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the id of the new delivery @throws AppError 404, or 409 when there is nothing to deliver */
  async redeliver(requestId: string, clientId: string): Promise<string> {
    const answer = await this.answers.find(requestId, clientId);
    if (!answer) throw checkNotFound();
    if (answer.callbackUrl === null) throw noCallback();
    if (answer.result === null) throw checkNotFinished();
    const deliveryId = await this.deliveries.redeliver(requestId, clientId);
    if (deliveryId === undefined) throw checkNotFound();
    this.producer.enqueue({ version: 1, deliveryId }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, deliveryId }, 'not enqueued, left to the sweeper');
    });
    return deliveryId;
  }
}
