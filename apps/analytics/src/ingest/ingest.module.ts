import { communityEventsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CommunityEventsConsumer } from './community-events.consumer.js';
import { CommunityEventRepository } from './community-event.repository.js';
import { CommunityEventSweeper } from './community-event-sweeper.js';

@Module({
  imports: [QueuesModule.register(communityEventsQueue)],
  providers: [CommunityEventRepository, CommunityEventsConsumer, CommunityEventSweeper],
})
export class IngestModule {}
