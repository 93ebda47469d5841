import { type CommunityEventsJob, communityEventsQueue } from '@app/queues';
import { randomUUID } from 'node:crypto';
import { type CommunityEvent, MAX_EVENTS_PER_BATCH } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EndpointEventService, type LeftMembers } from '../../callbacks/endpoints/endpoint-event.service.js';
import { collectRoleChanges } from '../../callbacks/role-callbacks/collect-role-changes.js';
import { RoleCallbackService } from '../../callbacks/role-callbacks/role-callback.service.js';

/** The queues that get every community event: one for each service that consumes them. */
export const COMMUNITY_EVENT_QUEUES = [communityEventsQueue] as const;

/** Adds batches of events for each consumer, in the caller's transaction. */
export async function addCommunityEvents(
  outbox: OutboxService,
  manager: EntityManager,
  batches: readonly CommunityEventsJob[],
): Promise<void> {
  for (const queue of COMMUNITY_EVENT_QUEUES) await outbox.add(manager, queue, batches);
}

const NOBODY_LEFT: LeftMembers = { identities: [], areRemoved: false };

/**
 * Publishes community events: to analytics by a queue, role changes to attached client applications by callbacks, and what their endpoints
 * subscribe to.
 */
@Injectable()
export class CommunityEventPublisher {
  constructor(
    private readonly outbox: OutboxService,
    private readonly callbacks: RoleCallbackService,
    private readonly endpoints: EndpointEventService,
  ) {}

  /**
   * Call it in the transaction of the change.
   * @param events in order of time
   * @param left the members whom the transaction has removed
   */
  async publish(
    manager: EntityManager,
    events: readonly CommunityEvent[],
    left: LeftMembers = NOBODY_LEFT,
  ): Promise<void> {
    const batches = [];
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_BATCH)
      batches.push({
        version: 1 as const,
        batchId: randomUUID(),
        events: events.slice(start, start + MAX_EVENTS_PER_BATCH),
      });
    await addCommunityEvents(this.outbox, manager, batches);
    await this.callbacks.createDeliveries(manager, collectRoleChanges(events), left.identities);
    await this.endpoints.publishCommunityEvents(manager, events, left);
  }
}
