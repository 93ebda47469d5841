import { Database } from '@app/database';
import {
  type CommunitySuspensionRequest,
  communitySuspensionRequest,
  type CommunitySuspensionResponse,
  communitySuspensionResponse,
  type SuspendCommunityRequest,
  suspendCommunityRequest,
  type SuspendedCommunitiesResponse,
  suspendedCommunitiesResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Get, Post } from '@nestjs/common';
import { revokeCommunityCredentials } from '../../credential-revocations/revoke-credentials.js';
import { MAX_SWEEP_ROWS } from '../../database/sweep.config.js';
import { lockAssignmentsExclusive } from '../roles/role-assignments.queries.js';
import {
  findSupervisedCommunity,
  listSuspendedCommunities,
  resumeCommunity,
  suspendCommunity,
} from './suspensions.queries.js';

const MAX_LISTED_COMMUNITIES = 100;

/**
 * Suspends communities for operators. Identity has authorized the operator, and recorded the action.
 *
 * While a community is suspended, those who run it read it and others do not find it; nobody joins or changes it, no roles are
 * checked or stored, and its role callbacks wait (contract.md section 7).
 */
@InternalController('internal/community-suspensions', 'identity')
export class CommunitySuspensionsController {
  constructor(private readonly database: Database) {}

  @Get()
  @Returns(suspendedCommunitiesResponse)
  async list(): Promise<SuspendedCommunitiesResponse> {
    return { communities: await listSuspendedCommunities(this.database, MAX_LISTED_COMMUNITIES) };
  }

  @Post('find')
  @Returns(communitySuspensionResponse)
  async find(
    @Body({ schema: communitySuspensionRequest }) { communityId }: CommunitySuspensionRequest,
  ): Promise<CommunitySuspensionResponse> {
    return { community: await findSupervisedCommunity(this.database, communityId) };
  }

  /** Waits for roles that are being stored. None is stored once this has answered. */
  @Post('set')
  @Returns(communitySuspensionResponse)
  suspend(
    @Body({ schema: suspendCommunityRequest }) { communityId, reason }: SuspendCommunityRequest,
  ): Promise<CommunitySuspensionResponse> {
    return this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      const community = await suspendCommunity(manager, communityId, reason);
      // The sweeper of credentials revokes the others.
      await revokeCommunityCredentials(manager, communityId, MAX_SWEEP_ROWS);
      return { community };
    });
  }

  /** All members are checked next: a balance check that the suspension interrupted begins again. */
  @Post('remove')
  @Returns(communitySuspensionResponse)
  resume(
    @Body({ schema: communitySuspensionRequest }) { communityId }: CommunitySuspensionRequest,
  ): Promise<CommunitySuspensionResponse> {
    return this.database.transaction(async (manager) => ({
      community: await resumeCommunity(manager, communityId),
    }));
  }
}
