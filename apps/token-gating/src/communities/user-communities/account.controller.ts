import { CurrentPrincipal, type Principal } from '@app/auth';
import {
  type PageQuery,
  pageQuery,
  queryBoolean,
  type AdministratedCommunitiesRequest,
  administratedCommunitiesRequest,
  type AdministratedCommunitiesResponse,
  administratedCommunitiesResponse,
  type JoinedCommunitiesRequest,
  joinedCommunitiesRequest,
  type JoinedCommunitiesResponse,
  joinedCommunitiesResponse,
} from '@app/dto';
import { Operation, Returns, InternalController } from '@app/service';
import { Controller, Get, Query, Body, Post } from '@nestjs/common';
import { z } from 'zod';
import { communityPage } from '../community/community.dto.js';
import { COMMUNITIES_WITHOUT_LIMIT, UserCommunitiesService } from './user-communities.service.js';
import { Database } from '@app/database';
import { listAdministratedCommunities } from '../access/communities.queries.js';
import { listJoinedCommunities } from '../members/memberships.queries.js';

const administratedCommunitiesQuery = z.object({
  reload: queryBoolean.optional().meta({ description: 'Recount the members of the communities on the page' }),
  ...pageQuery.shape,
});
type AdministratedCommunitiesQuery = z.output<typeof administratedCommunitiesQuery>;

const access = { caller: 'user', scope: 'user:community:read' } as const;
const description = `Without a limit, one page contains up to ${COMMUNITIES_WITHOUT_LIMIT} communities.`;

/** Lists communities of the signed-in user (spec.md 4.2). identity serves the other account operations. */
@Controller('account')
export class AccountController {
  constructor(private readonly communities: UserCommunitiesService) {}

  @Get('administrated-communities')
  @Operation({
    ...access,
    summary: 'List communities that the user administers',
    description: `The communities whose owner or administrator the signed-in user is. ${description}`,
  })
  @Returns(communityPage)
  getAdministratedCommunities(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: administratedCommunitiesQuery }) { reload, ...query }: AdministratedCommunitiesQuery,
  ) {
    return this.communities.listAdministrated(principal, query, { reload: reload === true });
  }

  @Get('communities')
  @Operation({
    ...access,
    summary: 'List communities that the user has joined',
    description: `The communities whose member the signed-in user is. ${description}`,
  })
  @Returns(communityPage)
  getUserCommunities(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: pageQuery }) query: PageQuery,
  ) {
    return this.communities.listJoined(principal, query);
  }
}

/** Communities in the list: more than a page can show well. */
const MAX_LISTED_COMMUNITIES = 200;

/** The communities that a user administers, for identity's portal. */
@InternalController('internal/administrated-communities', 'identity')
export class AdministratedCommunitiesController {
  constructor(private readonly database: Database) {}

  @Post()
  @Returns(administratedCommunitiesResponse)
  async list(
    @Body({ schema: administratedCommunitiesRequest }) { userId }: AdministratedCommunitiesRequest,
  ): Promise<AdministratedCommunitiesResponse> {
    const page = { after: undefined, rowLimit: MAX_LISTED_COMMUNITIES + 1 };
    const rows = await listAdministratedCommunities(this.database, { userId, clientId: null }, page);
    const communities = rows
      .slice(0, MAX_LISTED_COMMUNITIES)
      .map(({ id, name, visibility, isSuspended, isOwner, memberCount }) => ({
        id,
        name,
        visibility,
        isSuspended,
        isOwner,
        memberCount,
      }));
    return { communities, hasMore: rows.length > MAX_LISTED_COMMUNITIES };
  }
}

/** The communities that a user is a member of, with the roles that the user holds, for identity's portal. */
@InternalController('internal/joined-communities', 'identity')
export class JoinedCommunitiesController {
  constructor(private readonly database: Database) {}

  @Post()
  @Returns(joinedCommunitiesResponse)
  async list(
    @Body({ schema: joinedCommunitiesRequest }) { userId }: JoinedCommunitiesRequest,
  ): Promise<JoinedCommunitiesResponse> {
    const rows = await listJoinedCommunities(this.database, userId, MAX_LISTED_COMMUNITIES + 1);
    const communities = rows
      .slice(0, MAX_LISTED_COMMUNITIES)
      .map(({ name, ...row }) => ({ ...row, ...(name !== null && { name }) }));
    return { communities, hasMore: rows.length > MAX_LISTED_COMMUNITIES };
  }
}
