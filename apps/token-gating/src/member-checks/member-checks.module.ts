import { memberChecksQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { EvaluationModule } from '../evaluation/evaluation.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { CheckMembers } from './check-members.js';
import { MemberChecksConsumer } from './member-checks.consumer.js';

@Module({
  imports: [
    AsyncChecksModule,
    EvaluationModule,
    IdentityModule,
    RoleAssignmentsModule,
    QueuesModule.register(memberChecksQueue),
  ],
  providers: [CheckMembers, MemberChecksConsumer],
})
export class MemberChecksModule {}
