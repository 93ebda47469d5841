import { PagingModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CommunitiesModule } from '../communities/communities.module.js';
import { AccountController } from './account.controller.js';
import { MemberCounts } from './member-counts.js';
import { UserCommunities } from './user-communities.js';

@Module({
  imports: [CommunitiesModule, PagingModule],
  controllers: [AccountController],
  providers: [MemberCounts, UserCommunities],
})
export class AccountModule {}
