import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { revokeCommunityCredentials } from '../../credential-revocations/revoke-credentials.js';
import { deleteMembers } from '../members/community-members.queries.js';
import { deleteRemovals } from '../members/removed-members.queries.js';
import { deleteAssignments } from '../roles/role-assignments.queries.js';
import {
  claimDeletedCommunity,
  releaseDeletedCommunity,
  removeDeletedCommunity,
} from './deleted-communities.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/**
 * Revokes the credentials about deleted communities, and purges their members, removals, role assignments, role callbacks and linked wallets. No rows are added:
 * every insert locks the community.
 */
@Injectable()
export class DeletedCommunitiesSweeper extends Sweeper {
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly deliveries: DeliveryRepository,
  ) {
    super(context, [{ name: 'purge deleted communities', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
    this.logger = context.logger;
  }

  private async purge(): Promise<boolean> {
    const communityId = await claimDeletedCommunity(this.database);
    if (communityId === undefined) return false;
    try {
      // Wallets last, outside of a transaction that would hold its connection while identity does not respond.
      const hasMore =
        (await this.purgeRows(communityId)) || (await this.identity.removeCommunityWallets(communityId));
      const finish = hasMore ? releaseDeletedCommunity : removeDeletedCommunity;
      await finish(this.database, communityId);
    } catch (error) {
      this.logger.warn({ err: error, communityId }, 'purge of a deleted community failed; retrying later');
    }
    return true;
  }

  /** Purges a bounded number of rows of a community. @returns whether there may be more */
  private purgeRows(communityId: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const deleteCallbacks = this.deliveries.deleteOfCommunity.bind(this.deliveries);
      for (const deleteRows of [
        revokeCommunityCredentials,
        deleteAssignments,
        deleteMembers,
        deleteRemovals,
        deleteCallbacks,
      ])
        if ((await deleteRows(manager, communityId, MAX_ROWS_PER_STATEMENT)) === MAX_ROWS_PER_STATEMENT)
          return true;
      return false;
    });
  }
}
