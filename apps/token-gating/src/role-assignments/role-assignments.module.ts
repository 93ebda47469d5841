import { Module } from '@nestjs/common';
import { CommunityEventsModule } from '../community-events/community-events.module.js';
import { StoreRoles } from './store-roles.js';

@Module({ imports: [CommunityEventsModule], providers: [StoreRoles], exports: [StoreRoles] })
export class RoleAssignmentsModule {}
