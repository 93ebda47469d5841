import { runAfterCommit } from '@app/database';
import {
  type CommunityEvent,
  endpointEventType,
  type EndpointEventType,
  type OperationEvent,
  type UserEvent,
  type WalletEvent,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CheckResult } from '../../rules/check-result.js';
import { CallbackConfig } from '../callback.config.js';
import { createNameBasedUuid, type NewCallback, operationChange, toDeliveryId } from '../delivery.js';
import { DeliveryMetrics } from '../delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import {
  loadMemberIdentities,
  loadVisibleIdentities,
  type MemberIdentity,
  type VisibleIdentity,
} from '../role-callbacks/member-identities.queries.js';
import { scheduleCallbacks } from '../role-callbacks/role-callback-schedules.queries.js';
import {
  findEndpointsOfClients,
  findEndpointsOfCommunities,
  type ListeningEndpoint,
} from './callback-endpoints.queries.js';
import type { EndpointEvent } from './endpoint-events.js';

/** An asynchronous check that has a result now. */
export interface CompletedCheck {
  readonly id: string;
  readonly clientId: string;
  readonly result: CheckResult;
  /** The callback URL of the check: an endpoint at this URL gets the callback alone. */
  readonly callbackUrl: string | null;
  readonly doneAt: Date;
}

/** How members left whom the events of a transaction are about. */
export interface LeftMembers {
  /** Who they were. */
  readonly identities: readonly MemberIdentity[];
  /** Whether an administrator has removed them. */
  readonly areRemoved: boolean;
}

/** A change of a user's own wallets. */
export type WalletChange = WalletEvent & { readonly type: 'wallet.linked' | 'wallet.unlinked' };

type Approval = Extract<UserEvent, { type: 'application.approved' }>;

type ListedEvent = Extract<CommunityEvent, { communityId: string; userId: string }>;

const COMMUNITY_EVENTS: readonly EndpointEventType[] = [
  'role.granted',
  'role.revoked',
  'member.joined',
  'member.left',
  'member.removed',
];

function findType({ type }: CommunityEvent, { areRemoved }: LeftMembers): EndpointEventType | undefined {
  if (type === 'member.left' && areRemoved) return 'member.removed';
  const found = endpointEventType.safeParse(type).data;
  return found && COMMUNITY_EVENTS.includes(found) ? found : undefined;
}

/** The schedule of a tenant's deliveries to endpoints, beside those of its role callbacks and of its operations. */
export const toEndpointSchedule = (tenantId: string): string => `endpoints ${tenantId}`;

/**
 * Tells the endpoints of client applications what happens: one delivery for each event and endpoint. Each tenant has a rate of its own, and
 * what would wait for longer than an hour is not created. Deliveries are sent by the dispatcher of all callbacks, in which tenants take turns.
 */
@Injectable()
export class EndpointEventService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
    private readonly config: CallbackConfig,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Runs in the transaction of the change. */
  async publishCommunityEvents(
    manager: EntityManager,
    events: readonly CommunityEvent[],
    left: LeftMembers,
  ): Promise<void> {
    const listed = events.flatMap((event) => {
      const type = findType(event, left);
      return type ? [{ ...(event as ListedEvent), type }] : [];
    });
    if (listed.length === 0) return;
    const communityIds = [...new Set(listed.map(({ communityId }) => communityId))];
    const types = [...new Set(listed.map(({ type }) => type))];
    const endpoints = await findEndpointsOfCommunities(manager, communityIds, types);
    if (endpoints.length === 0) return;
    const identify = await loadVisibleIdentities(manager, listed, left.identities);
    await this.insert(
      manager,
      endpoints.flatMap((endpoint) =>
        listed
          .filter(
            ({ communityId, type }) => communityId === endpoint.communityId && endpoint.events.includes(type),
          )
          .map((event) => {
            const { communityId, userId, type, at } = event;
            const { platform, platformUserId } = identify(event, endpoint.clientId);
            const roleId = 'roleId' in event ? event.roleId : undefined;
            const data = {
              clientId: endpoint.clientId,
              communityId,
              userId,
              platform,
              platformUserId,
              roleId,
            };
            return toDelivery(endpoint, { type, timestamp: at, data }, { userId });
          }),
      ),
    );
  }

  /** Runs in the transaction that stores the results. */
  async publishChecks(manager: EntityManager, checks: readonly CompletedCheck[]): Promise<void> {
    const clientIds = [...new Set(checks.map(({ clientId }) => clientId))];
    const endpoints = await findEndpointsOfClients(manager, clientIds, ['check.completed']);
    const callbacks = checks.flatMap(({ id, clientId, result: { roles, errors }, callbackUrl, doneAt }) =>
      endpoints
        .filter((endpoint) => endpoint.clientId === clientId && !isSameUrl(endpoint.url, callbackUrl))
        .map((endpoint) => {
          const data = { clientId, requestId: id, roles, ...(errors.length > 0 ? { errors } : {}) };
          const event = { type: 'check.completed' as const, timestamp: doneAt.toISOString(), data };
          return toDelivery(endpoint, event);
        }),
    );
    await this.insert(manager, callbacks);
  }

  /** Idempotent: the id of a delivery follows from its event and its endpoint. */
  async publishOperations(manager: EntityManager, events: readonly OperationEvent[]): Promise<void> {
    const clientIds = [...new Set(events.map(({ clientId }) => clientId))];
    const endpoints = await findEndpointsOfClients(manager, clientIds, ['operation.changed']);
    const callbacks = endpoints.flatMap((endpoint) =>
      events
        .filter(({ clientId }) => clientId === endpoint.clientId)
        .flatMap((event) => {
          const change = operationChange.safeParse(event).data;
          if (!change) return [];
          const { at, ...data } = change;
          const id = toDeliveryId(createNameBasedUuid('operation event', event.id, endpoint.id));
          const body: EndpointEvent = {
            type: 'operation.changed',
            timestamp: at,
            data: { clientId: endpoint.clientId, ...data },
          };
          return [{ ...toDelivery(endpoint, body), id }];
        }),
    );
    await this.insert(manager, callbacks);
  }

  /**
   * Idempotent, as for operations.
   * @param readers the client applications that may read the wallets of each user
   */
  async publishWalletChanges(
    manager: EntityManager,
    changes: readonly WalletChange[],
    readers: ReadonlyMap<string, readonly string[]>,
  ): Promise<void> {
    const types = [...new Set(changes.map(({ type }) => type))];
    const clientIds = [...new Set([...readers.values()].flat())];
    const ofMembers = changes.flatMap((change) => (isOfMember(change) ? [change] : []));
    const ofUsers = changes.filter((change) => !isOfMember(change));
    const listening = await findEndpointsOfClients(manager, clientIds, types);
    const communityIds = [...new Set(ofMembers.map(({ communityId }) => communityId))];
    const attached = await findEndpointsOfCommunities(manager, communityIds, types);
    const identities = await loadMemberIdentities(manager, attached.length > 0 ? ofMembers : []);
    const callbacks = [
      ...listening.flatMap((endpoint) =>
        ofUsers
          .filter(
            ({ userId, type }) =>
              endpoint.events.includes(type) && readers.get(userId)?.includes(endpoint.clientId),
          )
          .map((change) => toWalletDelivery(endpoint, change)),
      ),
      ...attached.flatMap((endpoint) =>
        ofMembers
          .filter(
            ({ communityId, type }) => communityId === endpoint.communityId && endpoint.events.includes(type),
          )
          .flatMap((change) => {
            const { communityId, userId } = change;
            const member = identities.find((one) => one.communityId === communityId && one.userId === userId);
            if (!member?.reporters.includes(endpoint.clientId)) return [];
            const { platform, platformUserId } = member;
            return [toWalletDelivery(endpoint, change, { platform, platformUserId })];
          }),
      ),
    ];
    await this.insert(manager, callbacks);
  }

  /** Idempotent, as for operations. */
  async publishApproval(manager: EntityManager, { id, at, clientId, scopes }: Approval): Promise<void> {
    const endpoints = await findEndpointsOfClients(manager, [clientId], ['application.approved']);
    const event: EndpointEvent = { type: 'application.approved', timestamp: at, data: { clientId, scopes } };
    await this.insert(
      manager,
      endpoints.map((endpoint) => ({
        ...toDelivery(endpoint, event),
        id: toDeliveryId(createNameBasedUuid('application event', id, endpoint.id)),
      })),
    );
  }

  private async insert(
    manager: EntityManager,
    callbacks: readonly Omit<NewCallback, 'delayMs'>[],
  ): Promise<void> {
    if (callbacks.length === 0) return;
    const scheduled = await scheduleCallbacks(manager, callbacks, {
      perMinute: this.config.ENDPOINT_CALLBACKS_PER_MINUTE,
      toSchedule: toEndpointSchedule,
    });
    await this.deliveries.insertCallbacks(manager, scheduled);
    runAfterCommit(manager, () => {
      this.metrics.recordDropped('endpoint', callbacks.length - scheduled.length);
      this.signal.notify();
    });
  }
}

/** Compares the forms that are requested: `https://shop.example` and `https://shop.example/` are one URL. */
const isSameUrl = (url: string, other: string | null): boolean =>
  other !== null && new URL(url).href === new URL(other).href;

const isOfMember = <C extends WalletChange>(change: C): change is C & { readonly communityId: string } =>
  change.communityId !== undefined;

const toWalletDelivery = (
  endpoint: ListeningEndpoint,
  { id, type, at, userId, accountId, communityId }: WalletChange,
  identity: VisibleIdentity = {},
): Omit<NewCallback, 'delayMs'> => ({
  ...toDelivery(
    endpoint,
    {
      type,
      timestamp: at,
      data: { clientId: endpoint.clientId, communityId, userId, ...identity, accountId },
    },
    { userId },
  ),
  id: toDeliveryId(createNameBasedUuid('wallet event', id, endpoint.id)),
});

/** @param subject the user whom the event names, by whom an erasure finds it */
function toDelivery(
  { id: endpointId, clientId, tenantId, url, communityId }: ListeningEndpoint,
  event: EndpointEvent,
  subject: { readonly userId?: string } = {},
): Omit<NewCallback, 'delayMs'> {
  const place = communityId === '' ? {} : { eventCommunityId: communityId };
  return {
    endpointId,
    clientId,
    tenantId,
    url,
    payload: { ...subject, ...place, communityId: '', roles: [], event },
  };
}
