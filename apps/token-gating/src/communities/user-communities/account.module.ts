import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CommunitiesModule } from '../communities.module.js';
import { AccountController } from './account.controller.js';
import { AdministratedCommunitiesController } from './administrated-communities.controller.js';
import { MemberCountService, UserCommunitiesService } from './user-communities.service.js';

@Module({
  imports: [CommunitiesModule, PaginationModule],
  controllers: [AccountController, AdministratedCommunitiesController],
  providers: [MemberCountService, UserCommunitiesService],
})
export class AccountModule {}
