import { HeartbeatSweeper, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { HeartbeatPublisher } from './heartbeat.publisher.js';

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
