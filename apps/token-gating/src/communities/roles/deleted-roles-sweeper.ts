import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import {
  claimDeletedRole,
  type DeletedRole,
  releaseDeletedRole,
  removeDeletedRole,
} from './deleted-roles.queries.js';
import { RevokeRoleService } from './community-roles.service.js';
import { lockAssignmentsExclusive } from './role-assignments.queries.js';

const SWEEP_INTERVAL_MS = 2_000;

/** Revokes deleted roles from the members who are still assigned to them. */
@Injectable()
export class DeletedRolesSweeper extends Sweeper {
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly revocation: RevokeRoleService,
  ) {
    super(context, [{ name: 'purge deleted roles', sweep: () => this.purge() }], SWEEP_INTERVAL_MS);
    this.logger = context.logger;
  }

  private async purge(): Promise<boolean> {
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
