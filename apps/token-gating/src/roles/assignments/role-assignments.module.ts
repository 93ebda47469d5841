import { Module } from '@nestjs/common';
import { CommunityEventsModule } from '../../communities/events/community-events.module.js';
import { RoleAssignmentsService } from './role-assignments.service.js';

@Module({
  imports: [CommunityEventsModule],
  providers: [RoleAssignmentsService],
  exports: [RoleAssignmentsService],
})
export class RoleAssignmentsModule {}
