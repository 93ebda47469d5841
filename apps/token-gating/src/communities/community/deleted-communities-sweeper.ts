import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { IdentityClient } from '../../clients/identity-client.js';
import { deleteMembers } from '../members/community-members.queries.js';
import { deleteRemovals } from '../members/removed-members.queries.js';
import { deleteAssignments } from '../roles/role-assignments.queries.js';
import { claimDeletedCommunity, removeDeletedCommunity } from './deleted-communities.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/**
 * Purges members, removals, role assignments, role callbacks and linked wallets of deleted communities. No rows are added:
 * every insert locks the community.
 */
@Injectable()
export class DeletedCommunitiesSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly deliveries: DeliveryRepository,
  ) {
    super(context, [{ name: 'purge deleted communities', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
  }

  private async purge(): Promise<boolean> {
    const found = await this.purgeRows();
    if (!found) return false;
    const { communityId, hasMore } = found;
    // Outside of the transaction, which would hold its connection while identity does not respond.
    if (hasMore || (await this.identity.removeCommunityWallets(communityId))) return true;
    await removeDeletedCommunity(this.database, communityId);
    return true;
  }

  /** Purges a bounded number of rows of one community. */
  private purgeRows(): Promise<{ communityId: string; hasMore: boolean } | undefined> {
    return this.database.transaction(async (manager) => {
      const communityId = await claimDeletedCommunity(manager);
      if (communityId === undefined) return undefined;
      const deleteCallbacks = this.deliveries.deleteOfCommunity.bind(this.deliveries);
      for (const deleteRows of [deleteAssignments, deleteMembers, deleteRemovals, deleteCallbacks])
        if ((await deleteRows(manager, communityId, MAX_ROWS_PER_STATEMENT)) === MAX_ROWS_PER_STATEMENT)
          return { communityId, hasMore: true };
      return { communityId, hasMore: false };
    });
  }
}
