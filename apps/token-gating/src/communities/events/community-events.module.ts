import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../../checks/async/async-checks.module.js';
import { DeliverySignalModule } from '../../callbacks/delivery-signal.module.js';
import { CommunityEventPublisher } from './community-event.publisher.js';
import { RoleCallbackService } from '../../callbacks/role-callbacks/role-callback.service.js';

@Module({
  imports: [AsyncChecksModule, DeliverySignalModule],
  providers: [RoleCallbackService, CommunityEventPublisher],
  exports: [CommunityEventPublisher, RoleCallbackService],
})
export class CommunityEventsModule {}
