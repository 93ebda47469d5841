import { memberWalletsQueue, QueuesModule, userEventsQueue, walletEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { CallbacksModule } from '../../callbacks/callbacks.module.js';
import { CommunityEventsModule } from '../events/community-event.publisher.js';
import { CommunitiesModule } from '../communities.module.js';
import { CommunityHeartbeatSweeper, HeartbeatPublisher } from './heartbeat.publisher.js';
import { ErasedUserService, SignInFanout, UserEventsConsumer } from './user-events.consumer.js';

@Module({
  imports: [
    CallbacksModule,
    CommunitiesModule,
    CommunityEventsModule,
    ...[userEventsQueue, walletEventsQueue, memberWalletsQueue].map((queue) => QueuesModule.register(queue)),
  ],
  providers: [
    HeartbeatPublisher,
    CommunityHeartbeatSweeper,
    SignInFanout,
    ErasedUserService,
    UserEventsConsumer,
  ],
})
export class UserEventsModule {}
