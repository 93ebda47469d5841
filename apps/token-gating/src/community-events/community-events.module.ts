import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { DeliveryBellModule } from '../deliveries/delivery-bell.module.js';
import { CommunityEvents } from './community-events.js';
import { RoleCallbacks } from './role-callbacks.js';

@Module({
  imports: [AsyncChecksModule, DeliveryBellModule],
  providers: [RoleCallbacks, CommunityEvents],
  exports: [CommunityEvents, RoleCallbacks],
})
export class CommunityEventsModule {}
