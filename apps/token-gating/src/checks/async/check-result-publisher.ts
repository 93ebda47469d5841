import { Database } from '@app/database';
import { checkRolesResultsQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliverySignal } from '../../callbacks/delivery-signal.js';
import { type FinishedCheck, markReplied } from './checks.queries.js';

type Reply = Pick<FinishedCheck, 'id' | 'result'>;

/** Publishes results of finished checks as callbacks and queue replies. The sweeper retries replies that fail. */
@Injectable()
export class CheckResultPublisher {
  constructor(
    private readonly database: Database,
    private readonly context: ServiceContext,
    private readonly deliverySignal: DeliverySignal,
    @InjectProducer(checkRolesResultsQueue) private readonly replies: Producer<typeof checkRolesResultsQueue>,
  ) {}

  async publish({ id, result, deliveryId, reply }: FinishedCheck): Promise<void> {
    if (deliveryId !== null) this.deliverySignal.notify();
    try {
      if (reply) await this.publishReplies([{ id, result }]);
    } catch (error) {
      this.context.logger.warn(
        { err: error, requestId: id },
        'check result not published to the results queue; the sweeper will retry',
      );
    }
  }

  /** @throws QueueUnavailableError without marking replies as sent; a retry reuses their job ids */
  async publishReplies(replies: readonly Reply[]): Promise<void> {
    await this.replies.enqueueMany(replies.map(({ id, result }) => ({ requestId: id, ...result })));
    await markReplied(
      this.database,
      replies.map(({ id }) => id),
    );
  }
}
