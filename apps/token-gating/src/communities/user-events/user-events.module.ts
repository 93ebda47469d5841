import { QueuesModule, userEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { SignInFanout } from './sign-in-fanout.js';
import { UserEventsConsumer } from './user-events.consumer.js';

@Module({
  imports: [QueuesModule.register(userEventsQueue)],
  providers: [SignInFanout, UserEventsConsumer],
})
export class UserEventsModule {}
