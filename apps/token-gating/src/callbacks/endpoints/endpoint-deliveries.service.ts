import type { Principal } from '@app/auth';
import { conflict, notFound, tooManyRequests } from '@app/common';
import { Database, runAfterCommit } from '@app/database';
import { ENDPOINT_DELIVERY_DAYS, type PageQuery } from '@app/dto';
import { PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CallbackConfig } from '../callback.config.js';
import { MAX_DELIVERIES_PER_RESULT } from '../callback.errors.js';
import { createDeliveryId } from '../delivery.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import { scheduleCallbacks } from '../role-callbacks/role-callback-schedules.queries.js';
import { findEndpoint, type StoredEndpoint } from './callback-endpoints.queries.js';
import type {
  EndpointDelivery,
  EndpointDeliveryId,
  EndpointDeliveryPage,
  EndpointDeliveryParams,
  EndpointParams,
  EndpointRecovery,
  RecoveredDeliveries,
} from './callback-endpoints.dto.js';
import { endpointNotFound } from './callback-endpoints.service.js';
import { EndpointAccessService } from './endpoint-access.service.js';
import {
  listEndpointDeliveries,
  listFailedDeliveries,
  lockFailedDeliveries,
  recoverDeliveries,
  repeatDelivery,
  type StoredEndpointDelivery,
} from './endpoint-deliveries.queries.js';
import { toEndpointSchedule } from './endpoint-event.service.js';
import { TEST_EVENT } from './endpoint-events.js';
import { countEndpointRequest } from './endpoint-requests.js';

/** A minute of the schedule has passed by then. */
const SCHEDULE_RETRY_AFTER_SECONDS = 60;
/** How many of the newest deliveries of an endpoint a recovery looks at. */
export const MAX_RECOVERED_DELIVERIES = 10_000;
/** Bounds the time for which one transaction of a recovery holds the schedule of its tenant, for which events wait. */
const MAX_RECOVERED_PER_TRANSACTION = 500;

/** Deliveries to endpoints: what became of them, and sending them again. */
@Injectable()
export class EndpointDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly access: EndpointAccessService,
    private readonly pages: PaginationService,
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
    private readonly config: CallbackConfig,
  ) {}

  /** Newest first. @throws AppError 404, or 400 for a pagination token of another list */
  async list(principal: Principal, key: EndpointParams, query: PageQuery): Promise<EndpointDeliveryPage> {
    await this.access.requireTenant(principal, key.clientId);
    await this.load(key);
    const { items, paginationToken } = await this.pages.paginate({
      list: `callback-endpoint-deliveries/${key.endpointId}`,
      principal,
      query,
      load: (cursor) => listEndpointDeliveries(this.database, key.endpointId, cursor),
      toSortKey: ({ sortTime, id }) => [sortTime, id],
    });
    return {
      items: items.map(toEndpointDelivery),
      ...(paginationToken === undefined ? {} : { paginationToken }),
    };
  }

  /** Sends an event that says nothing. @throws AppError 404, 409, 429 */
  async test(principal: Principal, key: EndpointParams): Promise<EndpointDeliveryId> {
    const tenantId = await this.access.requireTenant(principal, key.clientId);
    const deliveryId = createDeliveryId();
    await this.runCounted(tenantId, key, async (manager, { url }) => {
      const { clientId, endpointId } = key;
      const event = { type: TEST_EVENT, timestamp: new Date().toISOString(), data: { clientId } } as const;
      const payload = { communityId: '' as const, roles: [] as [], event };
      const delivery = { id: deliveryId, endpointId, clientId, tenantId, url, payload };
      const scheduled = await this.schedule(manager, [delivery]);
      if (scheduled.length === 0) throw endpointScheduleFull();
      await this.deliveries.insertCallbacks(manager, scheduled);
    });
    return { deliveryId };
  }

  /** Sends a delivery once more under its id. @throws AppError 404, 409, 429 */
  async redeliver(
    principal: Principal,
    { deliveryId, ...key }: EndpointDeliveryParams,
  ): Promise<EndpointDeliveryId> {
    const tenantId = await this.access.requireTenant(principal, key.clientId);
    await this.runCounted(tenantId, key, async (manager, { id }) => {
      const { CHECK_RETENTION_MS } = this.config;
      const isRepeated = await repeatDelivery(manager, id, deliveryId, CHECK_RETENTION_MS);
      if (isRepeated === undefined) throw deliveryNotFound();
      if (!isRepeated) throw repetitionLimitExceeded();
    });
    return { deliveryId };
  }

  /** Sends what has failed once more, at the pace of other deliveries. @throws AppError 404, 409, 429 */
  async recover(
    principal: Principal,
    key: EndpointParams,
    { since }: EndpointRecovery,
  ): Promise<RecoveredDeliveries> {
    const tenantId = await this.access.requireTenant(principal, key.clientId);
    const ids = await this.runCounted(tenantId, key, (manager, { id }) =>
      listFailedDeliveries(manager, id, since, MAX_RECOVERED_DELIVERIES),
    );
    let recovered = 0;
    for (let start = 0; start < ids.length; start += MAX_RECOVERED_PER_TRANSACTION) {
      const part = await this.recoverPart(key, ids.slice(start, start + MAX_RECOVERED_PER_TRANSACTION));
      recovered += part.recovered;
      if (part.isFull && recovered === 0) throw endpointScheduleFull();
      if (part.isFull) break;
    }
    return { recovered };
  }

  /** @returns how many are sent again, and whether the schedule of the tenant takes no more */
  private recoverPart(
    { endpointId }: EndpointParams,
    ids: readonly string[],
  ): Promise<{ readonly recovered: number; readonly isFull: boolean }> {
    return this.database.transaction(async (manager) => {
      const failed = await lockFailedDeliveries(manager, ids);
      if (failed.length === 0) return { recovered: 0, isFull: false };
      const scheduled = await this.schedule(manager, failed);
      const recovered = await recoverDeliveries(
        manager,
        endpointId,
        scheduled,
        this.config.CHECK_RETENTION_MS,
      );
      runAfterCommit(manager, () => {
        this.signal.notify();
      });
      return { recovered, isFull: scheduled.length < failed.length };
    });
  }

  /** Runs work for a verified endpoint in a transaction, counted on the tenant. */
  private runCounted<T>(
    tenantId: string,
    key: EndpointParams,
    work: (manager: EntityManager, endpoint: StoredEndpoint) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (manager) => {
      const endpoint = await findEndpoint(manager, key);
      if (!endpoint) throw endpointNotFound();
      if (endpoint.suspendedAt) throw endpointSuspended();
      if (!endpoint.isVerified) throw endpointUnverified();
      await countEndpointRequest(manager, tenantId);
      const result = await work(manager, endpoint);
      runAfterCommit(manager, () => {
        this.signal.notify();
      });
      return result;
    });
  }

  private schedule<T extends { readonly tenantId: string }>(
    manager: EntityManager,
    deliveries: readonly T[],
  ) {
    return scheduleCallbacks(manager, deliveries, {
      perMinute: this.config.ENDPOINT_CALLBACKS_PER_MINUTE,
      toSchedule: toEndpointSchedule,
    });
  }

  private async load(key: EndpointParams): Promise<void> {
    if (!(await findEndpoint(this.database, key))) throw endpointNotFound();
  }
}

function toEndpointDelivery(row: StoredEndpointDelivery): EndpointDelivery {
  const { id, type, state, createdAt, nextAttemptAt, attempts } = row;
  return {
    ...{ id, type, state },
    createdTime: createdAt.toISOString(),
    ...(state === 'pending' ? { nextAttemptTime: nextAttemptAt.toISOString() } : {}),
    attempts: attempts.map(({ startedAt, status, failure, answer, ...attempt }) => ({
      ...attempt,
      startedTime: new Date(startedAt).toISOString(),
      status: status ?? undefined,
      failure: failure ?? undefined,
      answer: answer ?? undefined,
    })),
  };
}

const endpointSuspended = () =>
  conflict(
    'callback_endpoint_approval_required',
    'The client application is not approved for what endpoints are told: nothing is sent to it.',
  );

const endpointUnverified = () =>
  conflict(
    'callback_endpoint_verification_required',
    'The endpoint has not answered its challenge: change its url, or set the same one, to send another.',
  );

const deliveryNotFound = () =>
  notFound(
    'delivery_not_found',
    `The endpoint has no such delivery of the last ${ENDPOINT_DELIVERY_DAYS} days that can be sent again.`,
  );

const repetitionLimitExceeded = () =>
  conflict(
    'redelivery_limit_exceeded',
    `The delivery was sent again ${MAX_DELIVERIES_PER_RESULT} times, which is the most.`,
  );

/** Deliveries that would wait for longer than an hour are not sent. */
const endpointScheduleFull = () =>
  tooManyRequests(
    'endpoint_request_limit_exceeded',
    "Deliveries to the tenant's endpoints wait for an hour already: try again when some are sent.",
    { retryAfter: SCHEDULE_RETRY_AFTER_SECONDS },
  );
