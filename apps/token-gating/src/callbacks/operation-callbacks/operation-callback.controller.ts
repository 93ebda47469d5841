import {
  Callback,
  CurrentClient,
  Operation,
  type RequestingClient,
  Returns,
  ReturnsNothing,
} from '@app/service';
import { Body, Controller, Delete, Get, Put, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { operationCallback, operationReceiverChallenge } from '../callback-body.js';
import {
  type OperationCallbackRegistration,
  operationCallbackRegistration,
  OperationReceiverService,
  registeredOperationCallback,
} from './operation-receiver.service.js';
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
import type { Job } from 'bullmq';
import { CallbackConfig } from '../callback.config.js';
import { type NewCallback, operationChange, toDeliveryId, toOperationContent } from '../delivery.js';
import { DeliveryMetrics } from '../delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import { EndpointEventService } from '../endpoints/endpoint-event.service.js';
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
    private readonly endpoints: EndpointEventService,
  ) {}

  /** Idempotent: the id of a delivery follows from the id of its event. */
  async createDeliveries(events: readonly OperationEvent[]): Promise<void> {
    const clientIds = [...new Set(events.map(({ clientId }) => clientId))];
    const found = await findOperationReceivers(this.database, clientIds);
    const receivers = new Map(found.filter(({ isVerified }) => isVerified).map((one) => [one.clientId, one]));
    const callbacks = events.flatMap((event) => toCallback(event, receivers.get(event.clientId)) ?? []);
    await this.database.transaction(async (manager) => {
      await this.endpoints.publishOperations(manager, events);
      if (callbacks.length === 0) return;
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

const access = { caller: 'client', scope: 'accountkit' } as const;

/** Sets where a client application of account-kit is called back. Callbacks are sent, and signed, in one place. */
@Controller('accountkit/v2/operation-callback')
export class OperationCallbackController {
  constructor(private readonly receivers: OperationReceiverService) {}

  @Get()
  @Operation({
    ...access,
    summary: 'Get the callback URL for operations of the client application',
    description:
      'The URL that was registered for changes of user operations and Solana transactions of the client application; 404 ' +
      'where there is none.',
    errors: ['403 client_required', '404 callback_not_found'],
    example: { status: 404, reason: 'the demo client application has no callback URL' },
  })
  @Returns(registeredOperationCallback)
  getOperationCallback(@CurrentClient() client: RequestingClient) {
    return this.receivers.load(client);
  }

  @Put()
  @Operation({
    ...access,
    summary: 'Register the callback URL for operations of the client application',
    description:
      'Each change of the state of a user operation or Solana transaction is sent there, signed like every callback. ' +
      'Another URL replaces the one before.',
    errors: ['400 url_invalid', '403 client_required'],
  })
  @Callback(z.union([operationCallback, operationReceiverChallenge]), {
    name: 'operationChange',
    urlField: 'callbackUrl',
    summary:
      'The challenge that the receiver has to answer first, and then the changes of operations; signed',
  })
  @ReturnsNothing()
  async registerOperationCallback(
    @CurrentClient() client: RequestingClient,
    @Body({ schema: operationCallbackRegistration }) { callbackUrl }: OperationCallbackRegistration,
  ): Promise<void> {
    await this.receivers.register(client, callbackUrl);
  }

  @Delete()
  @Operation({
    ...access,
    summary: 'Remove the callback URL for operations of the client application',
    description:
      'From now on changes of operations are sent nowhere, and callbacks that wait are not sent any more. The states ' +
      'themselves can still be read.',
    errors: ['403 client_required', '404 callback_not_found'],
  })
  @ReturnsNothing()
  async removeOperationCallback(@CurrentClient() client: RequestingClient): Promise<void> {
    await this.receivers.remove(client);
  }
}
