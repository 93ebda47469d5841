import { Database } from '@app/database';
import { checkRolesResultsQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliverySignal } from '../../callbacks/delivery-signal.js';
import type { FinishedCheck } from './async-check.js';

const REPLIED = 'UPDATE token_gating.checks SET replied_at = now() WHERE id = ANY($1::uuid[])';

type Reply = Pick<FinishedCheck, 'id' | 'result'>;

/** Tells who waits for it that a check is finished. What does not get through is in the rows, where the sweeper finds it. */
@Injectable()
export class CheckResultPublisher {
  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
    private readonly bell: DeliverySignal,
    @InjectProducer(checkRolesResultsQueue) private readonly replies: Producer<typeof checkRolesResultsQueue>,
  ) {}

  async publish({ id, result, deliveryId, reply }: FinishedCheck): Promise<void> {
    if (deliveryId !== null) this.bell.notify();
    try {
      if (reply) await this.publishReplies([{ id, result }]);
    } catch (error) {
      this.context.logger.warn({ err: error, requestId: id }, 'not announced, left to the sweeper');
    }
  }

  /** @throws QueueUnavailable: then nothing is marked, and some may be sent twice under the same job id */
  async publishReplies(replies: readonly Reply[]): Promise<void> {
    await this.replies.enqueueMany(replies.map(({ id, result }) => ({ requestId: id, ...result })));
    await this.database.query(REPLIED, [replies.map(({ id }) => id)]);
  }
}
