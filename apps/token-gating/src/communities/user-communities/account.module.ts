import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CommunitiesModule } from '../communities.module.js';
import { AccountController, AdministratedCommunitiesController } from './account.controller.js';
import { MemberCountService, UserCommunitiesService } from './user-communities.service.js';

@Module({
  imports: [CommunitiesModule, PaginationModule],
  controllers: [AccountController, AdministratedCommunitiesController],
  providers: [MemberCountService, UserCommunitiesService],
})
export class AccountModule {}
