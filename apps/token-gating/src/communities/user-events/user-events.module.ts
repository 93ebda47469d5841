import { QueuesModule, userEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { CommunityEventsModule } from '../events/community-events.module.js';
import { HeartbeatSweeper } from '../events/heartbeat-sweeper.js';
import { CommunitiesModule } from '../communities.module.js';
import { ErasedUserService } from './erased-user.service.js';
import { SignInFanout } from './sign-in-fanout.js';
import { UserEventsConsumer } from './user-events.consumer.js';

@Module({
  imports: [CommunitiesModule, CommunityEventsModule, QueuesModule.register(userEventsQueue)],
  providers: [HeartbeatSweeper, SignInFanout, ErasedUserService, UserEventsConsumer],
})
export class UserEventsModule {}
