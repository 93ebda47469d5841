import { communityEventsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CommunityEventsConsumer } from './community-events.consumer.js';
import { CommunityEventRepository } from './community-event.repository.js';
import { CommunityEventSweeper } from './community-event-sweeper.js';
import { PurgeDeletedCommunitiesStep } from './purge-deleted-communities-step.js';

@Module({
  imports: [QueuesModule.register(communityEventsQueue)],
  providers: [
    CommunityEventRepository,
    CommunityEventsConsumer,
    PurgeDeletedCommunitiesStep,
    CommunityEventSweeper,
  ],
})
export class IngestModule {}
