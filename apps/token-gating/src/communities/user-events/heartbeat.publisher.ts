import { Database } from '@app/database';
import type { EventProducer } from '@app/dto';
import { OutboxService } from '@app/outbox';
import {
  findHandledUntil,
  InjectProducer,
  memberWalletsQueue,
  Producer,
  type QueueDefinition,
  userEventsQueue,
  walletEventsQueue,
} from '@app/queues';
import { HeartbeatSweeper, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createHeartbeat } from '../events/create-community-event.js';

/** Publishes until when events are on their way to analytics: no later than what unfinished jobs are about. */
@Injectable()
export class HeartbeatPublisher {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxService,
    private readonly events: CommunityEventPublisher,
    @InjectProducer(memberWalletsQueue) private readonly memberWallets: Producer<typeof memberWalletsQueue>,
    @InjectProducer(userEventsQueue) private readonly userEvents: Producer<typeof userEventsQueue>,
    @InjectProducer(walletEventsQueue) private readonly walletEvents: Producer<typeof walletEventsQueue>,
  ) {}

  /** Wallets of members who join or leave are published by jobs of this app. */
  async publishOwn(): Promise<void> {
    await this.publish('token-gating', await this.outbox.findSentUntil(), [this.memberWallets]);
  }

  /** @param at of identity's heartbeat, whose events make events of this app */
  async publishOfIdentity(at: string): Promise<void> {
    const sentUntil = await this.outbox.findSentUntil();
    const until = Date.parse(sentUntil) < Date.parse(at) ? sentUntil : at;
    await this.publish('identity', until, [this.userEvents, this.walletEvents]);
  }

  private async publish(
    producer: EventProducer,
    at: string,
    queues: readonly Pick<Producer<QueueDefinition>, 'findUnfinishedSince'>[],
  ): Promise<void> {
    const until = await findHandledUntil(at, queues);
    if (until === undefined) return;
    const heartbeat = createHeartbeat(producer, until);
    await this.database.transaction((manager) => this.events.publish(manager, [heartbeat]));
  }
}

/** Sends the heartbeat of this app. */
@Injectable()
export class CommunityHeartbeatSweeper extends HeartbeatSweeper {
  constructor(
    context: ServiceContext,
    private readonly heartbeats: HeartbeatPublisher,
  ) {
    super(context);
  }

  protected send(): Promise<void> {
    return this.heartbeats.publishOwn();
  }
}
