import { memberChecksQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../../checks/async/async-checks.module.js';
import { MemberEvaluationModule } from '../evaluation/member-evaluation.service.js';
import { IdentityClientModule } from '../../clients/identity-client.js';
import { RoleAssignmentsModule } from '../assignments/role-assignments.service.js';
import { MemberCheckService, MemberChecksConsumer } from './member-checks.consumer.js';

@Module({
  imports: [
    AsyncChecksModule,
    MemberEvaluationModule,
    IdentityClientModule,
    RoleAssignmentsModule,
    QueuesModule.register(memberChecksQueue),
  ],
  providers: [MemberCheckService, MemberChecksConsumer],
})
export class MemberChecksModule {}
