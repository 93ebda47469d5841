import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from '../callbacks/delivery.repository.js';
import { IdentityClient } from '../clients/identity-client.js';
import { revokeCommunityCredentials } from '../credential-revocations/revoke-credentials.js';
import {
  claimDeletedCommunity,
  releaseDeletedCommunity,
  removeDeletedCommunity,
} from './community/deleted-communities.queries.js';
import { deleteMembers, deleteTransferChecks } from './members/community-members.queries.js';
import { deleteRemovals } from './members/removed-members.queries.js';
import { RevokeRoleService } from './roles/community-roles.service.js';
import {
  claimDeletedRole,
  type DeletedRole,
  releaseDeletedRole,
  removeDeletedRole,
} from './roles/deleted-roles.queries.js';
import { deleteAssignments, lockAssignmentsExclusive } from './roles/role-assignments.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 5_000;

/** Purges what belongs to deleted communities and roles, a bounded number of rows at a time. */
@Injectable()
export class PurgeSweeper extends Sweeper {
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly deliveries: DeliveryRepository,
    private readonly revocation: RevokeRoleService,
  ) {
    super(
      context,
      [
        { name: 'purge deleted communities', sweep: () => this.purgeCommunity() },
        { name: 'purge deleted roles', sweep: () => this.purgeRole() },
      ],
      SWEEP_INTERVAL_MS,
    );
    this.logger = context.logger;
  }

  /**
   * Revokes the credentials about a deleted community, and purges its members, removals, role assignments, role callbacks and
   * linked wallets. No rows are added meanwhile: every insert locks the community.
   */
  private async purgeCommunity(): Promise<boolean> {
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
        deleteTransferChecks,
        deleteRemovals,
        deleteCallbacks,
      ])
        if ((await deleteRows(manager, communityId, MAX_ROWS_PER_STATEMENT)) === MAX_ROWS_PER_STATEMENT)
          return true;
      return false;
    });
  }

  /** Revokes a deleted role from the members who are still assigned to it. */
  private async purgeRole(): Promise<boolean> {
    const role = await claimDeletedRole(this.database);
    if (role === undefined) return false;
    try {
      await this.purgeBatch(role);
    } catch (error) {
      this.logger.warn({ err: error, ...role }, 'purge of a deleted role failed; retrying later');
    }
    return true;
  }

  private purgeBatch(role: DeletedRole): Promise<void> {
    return this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, role.communityId);
      if (!(await releaseDeletedRole(manager, role))) return;
      if (!(await this.revocation.revokeBatch(manager, role))) await removeDeletedRole(manager, role);
    });
  }
}
