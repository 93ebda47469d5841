import { Database } from '@app/database';
import { OutboxService } from '@app/outbox';
import { HeartbeatSweeper, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { UserEventsService } from './user-events.service.js';

/** Sends the heartbeat of this app by way of token-gating, which holds it back while earlier jobs are unfinished. */
@Injectable()
export class UserHeartbeatSweeper extends HeartbeatSweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly outbox: OutboxService,
    private readonly events: UserEventsService,
  ) {
    super(context);
  }

  protected async send(): Promise<void> {
    const at = await this.outbox.findSentUntil();
    await this.database.transaction((manager) =>
      this.events.publish(manager, { type: 'producer.heartbeat', at }),
    );
  }
}
