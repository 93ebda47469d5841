import { Database } from '@app/database';
import {
  type AdministratedCommunitiesRequest,
  administratedCommunitiesRequest,
  type AdministratedCommunitiesResponse,
  administratedCommunitiesResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { listAdministratedCommunities } from '../access/communities.queries.js';

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
      .map(({ id, name, visibility, isSuspended, memberCount }) => ({
        id,
        name,
        visibility,
        isSuspended,
        memberCount,
      }));
    return { communities, hasMore: rows.length > MAX_LISTED_COMMUNITIES };
  }
}
