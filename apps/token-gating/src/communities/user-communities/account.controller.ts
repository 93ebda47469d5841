import { CurrentPrincipal, type Principal } from '@app/auth';
import { type PageQuery, pageQuery } from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Controller, Get, Query } from '@nestjs/common';
import { communityPage } from '../community/community.dto.js';
import { type AdministratedCommunitiesQuery, administratedCommunitiesQuery } from './account.dto.js';
import { UserCommunitiesService } from './user-communities.service.js';

const access = { caller: 'user', scope: 'user:community:read' } as const;
const description = 'All of them, 1,000 at most, where no limit is named.';

/** spec.md 4.2: communities of the signed-in user. The rest of the account is identity's. */
@Controller('account')
export class AccountController {
  constructor(private readonly communities: UserCommunitiesService) {}

  @Get('administrated-communities')
  @Operation({ ...access, summary: 'Communities that the user administers', description })
  @Returns(communityPage)
  getAdministratedCommunities(
    @CurrentPrincipal() caller: Principal,
    @Query({ schema: administratedCommunitiesQuery }) { reload, ...query }: AdministratedCommunitiesQuery,
  ) {
    return this.communities.listAdministrated(caller, query, { reload: reload === true });
  }

  @Get('communities')
  @Operation({ ...access, summary: 'Communities that the user belongs to', description })
  @Returns(communityPage)
  getUserCommunities(@CurrentPrincipal() caller: Principal, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.communities.listJoined(caller, query);
  }
}
