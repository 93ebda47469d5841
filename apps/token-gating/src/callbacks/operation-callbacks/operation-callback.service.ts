import { Database, runAfterCommit } from '@app/database';
import type { OperationEvent } from '@app/dto';
import {
  Consumer,
  Consumes,
  handleTogether,
  operationCallbacksQueue,
  type OperationEventsJob,
  retryWhileUnavailable,
} from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { CallbackConfig } from '../callback.config.js';
import { type NewCallback, operationChange, toDeliveryId, toOperationContent } from '../delivery.js';
import { DeliveryMetrics } from '../delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import { scheduleCallbacks } from '../role-callbacks/role-callback-schedules.queries.js';
import { findOperationReceivers, type OperationReceiver } from './operation-receivers.queries.js';

/** Creates callbacks for changes of operations. They are signed and retried like all others (contract.md section 6). */
@Injectable()
export class OperationCallbackService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
    private readonly config: CallbackConfig,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Idempotent: the id of a delivery follows from the id of its event. */
  async createDeliveries(events: readonly OperationEvent[]): Promise<void> {
    const clientIds = [...new Set(events.map(({ clientId }) => clientId))];
    const found = await findOperationReceivers(this.database, clientIds);
    const receivers = new Map(found.filter(({ isVerified }) => isVerified).map((one) => [one.clientId, one]));
    const callbacks = events.flatMap((event) => toCallback(event, receivers.get(event.clientId)) ?? []);
    if (callbacks.length === 0) return;
    await this.database.transaction(async (manager) => {
      const scheduled = await scheduleCallbacks(manager, callbacks, {
        perMinute: this.config.OPERATION_CALLBACKS_PER_MINUTE,
        toSchedule: (tenantId) => `operations ${tenantId}`,
      });
      await this.deliveries.insertCallbacks(manager, scheduled);
      runAfterCommit(manager, () => {
        this.metrics.recordDropped('operation', callbacks.length - scheduled.length);
        this.signal.notify();
      });
    });
  }
}

function toCallback(
  event: OperationEvent,
  receiver: OperationReceiver | undefined,
): Omit<NewCallback, 'delayMs'> | undefined {
  if (!receiver) return undefined;
  // An operation that was never signed has no name: the request that submitted it got the error.
  const operation = operationChange.safeParse(event).data;
  if (!operation) return undefined;
  const { clientId, tenantId, url } = receiver;
  const id = toDeliveryId(event.id);
  return { id, clientId, tenantId, url, payload: toOperationContent({ operation }) };
}

const CONCURRENCY = 2;

/** Makes callbacks of the events of account-kit. They arrive at least once and in any order. */
@Consumes(operationCallbacksQueue, { concurrency: CONCURRENCY })
export class OperationCallbacksConsumer extends Consumer<OperationEventsJob> {
  constructor(private readonly callbacks: OperationCallbackService) {
    super();
  }

  async handle({ events }: OperationEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () =>
      handleTogether(events, (some) => this.callbacks.createDeliveries(some)),
    );
  }
}
