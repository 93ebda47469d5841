import { Consumer, Consumes, deliverCallbackQueue, type DeliverCallbackJob, RetryLater } from '@app/queues';
import { Deliveries } from './deliveries.js';
import { DeliveryConfig } from './delivery.config.js';
import { nextStep } from './next-step.js';
import { ReceiverSlots } from './receiver-slots.js';
import { SendCallback } from './send-callback.js';

const CONCURRENCY = 256;
const RECEIVER_BUSY_MS = 250;

/** One attempt to deliver a callback, and the plan for the next one. */
@Consumes(deliverCallbackQueue, { concurrency: CONCURRENCY })
export class DeliverCallbackConsumer extends Consumer<DeliverCallbackJob> {
  private readonly slots: ReceiverSlots;

  constructor(
    private readonly config: DeliveryConfig,
    private readonly deliveries: Deliveries,
    private readonly sender: SendCallback,
  ) {
    super();
    this.slots = new ReceiverSlots(config.CALLBACK_CONCURRENCY_PER_RECEIVER);
  }

  async handle({ deliveryId }: DeliverCallbackJob): Promise<void> {
    const url = await this.deliveries.urlOf(deliveryId);
    if (url === undefined) return;
    const release = this.slots.take(url);
    if (!release) throw new RetryLater(RECEIVER_BUSY_MS);
    try {
      await this.attempt(deliveryId);
    } finally {
      release();
    }
  }

  private async attempt(deliveryId: string): Promise<void> {
    const delivery = await this.deliveries.claim(deliveryId);
    if (!delivery) return;
    const { record, retryAfterMs } = await this.sender.send(delivery);
    const next = nextStep(
      delivery.attempt,
      { status: record.status, retryAfterMs },
      this.config.CALLBACK_RETRY_AFTER_MS,
    );
    await this.deliveries.record(delivery, record, next);
    if (next.state === 'pending') throw new RetryLater(next.delayMs);
  }
}
