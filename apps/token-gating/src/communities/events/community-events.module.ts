import { Module } from '@nestjs/common';
import { CallbacksModule } from '../../callbacks/callbacks.module.js';
import { CommunityEventPublisher } from './community-event.publisher.js';

@Module({
  imports: [CallbacksModule],
  providers: [CommunityEventPublisher],
  exports: [CommunityEventPublisher],
})
export class CommunityEventsModule {}
