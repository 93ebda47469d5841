import { Database } from '@app/database';
import type { CommunityEvent, UserEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { Injectable } from '@nestjs/common';
import { addCommunityEvents } from '../events/community-event.publisher.js';
import type { EntityManager } from 'typeorm';
import { createNameBasedUuid, toEventBatches } from '../events/create-community-event.js';
import {
  FIRST_MEMBERSHIP_CURSOR,
  listMemberships,
  type MembershipCursor,
} from '../members/memberships.queries.js';

/** Events that one transaction inserts. */
const PAGE_SIZE = 5_000;

type SignIn = Extract<UserEvent, { type: 'user.signed_in' }>;

/** Publishes the sign-in of a user in the communities of the user to which the client application is attached. */
@Injectable()
export class SignInFanout {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxService,
  ) {}

  /** Idempotent: a repeated dispatch publishes events with the same ids. */
  async dispatch(signIn: SignIn): Promise<void> {
    let after: MembershipCursor | undefined = FIRST_MEMBERSHIP_CURSOR;
    while (after) {
      const cursor: MembershipCursor = after;
      const page = await this.database.transaction((manager) => this.dispatchPage(manager, signIn, cursor));
      after = page.length === PAGE_SIZE ? page.at(-1) : undefined;
    }
  }

  private async dispatchPage(
    manager: EntityManager,
    { id, at, userId, clientId }: SignIn,
    after: MembershipCursor,
  ): Promise<readonly MembershipCursor[]> {
    const page = await listMemberships(manager, userId, after, PAGE_SIZE, { clientId });
    const events = page.map(({ communityId }): CommunityEvent => ({
      id: createNameBasedUuid('member signed in', id, communityId),
      type: 'member.signed_in',
      ...{ at, communityId, userId },
    }));
    await addCommunityEvents(this.outbox, manager, toEventBatches(events));
    return page;
  }
}
