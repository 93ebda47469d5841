import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { CheckRolesModule } from '../check-roles/check-roles.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { MemberRolesModule } from '../member-roles/member-roles.module.js';
import { AccessControlController } from './access-control.controller.js';
import { CheckResponseService } from './check-response.service.js';

@Module({
  imports: [CheckRolesModule, AsyncChecksModule, DeliveriesModule, MemberRolesModule],
  controllers: [AccessControlController],
  providers: [CheckResponseService],
})
export class AccessControlModule {}
