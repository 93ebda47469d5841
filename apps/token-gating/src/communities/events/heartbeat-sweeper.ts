import { Database } from '@app/database';
import { OutboxService } from '@app/outbox';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { CommunityEventPublisher } from './community-event.publisher.js';
import { createHeartbeat } from './create-community-event.js';

const SWEEP_INTERVAL_MS = 5_000;
const MINUTE_MS = 60_000;

/** Tells analytics once a minute until when it has the events of this app. */
@Injectable()
export class HeartbeatSweeper extends Sweeper {
  private sentMinute = 0;

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly outbox: OutboxService,
    private readonly events: CommunityEventPublisher,
  ) {
    super(context, [{ name: 'send a heartbeat', sweep: () => this.send() }], SWEEP_INTERVAL_MS);
  }

  private async send(): Promise<boolean> {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute === this.sentMinute) return false;
    const heartbeat = createHeartbeat('token-gating', await this.outbox.findSentUntil());
    await this.database.transaction((manager) => this.events.publish(manager, [heartbeat]));
    this.sentMinute = minute;
    return false;
  }
}
