import { communityEventsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CommunityEventsConsumer } from './community-events.consumer.js';
import { EventStore } from './event-store.js';
import { EventSweeper } from './event-sweeper.js';
import { PurgeDeletedCommunities } from './purge-deleted-communities.js';

@Module({
  imports: [QueuesModule.register(communityEventsQueue)],
  providers: [EventStore, CommunityEventsConsumer, PurgeDeletedCommunities, EventSweeper],
})
export class CommunityEventsModule {}
