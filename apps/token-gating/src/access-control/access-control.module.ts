import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../checks/async/async-checks.module.js';
import { CheckRolesModule } from '../checks/check-roles.module.js';
import { MemberRolesModule } from '../roles/member-roles/member-roles.module.js';
import { AccessControlController, CheckResponseService } from './access-control.controller.js';

@Module({
  imports: [CheckRolesModule, AsyncChecksModule, MemberRolesModule],
  controllers: [AccessControlController],
  providers: [CheckResponseService],
})
export class AccessControlModule {}
