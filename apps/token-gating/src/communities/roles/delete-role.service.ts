import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { deleteRole } from './community-roles.queries.js';
import { insertDeletedRole } from './deleted-roles.queries.js';
import { RevokeRoleService } from './revoke-role.service.js';
import { lockAssignmentsExclusive } from './role-assignments.queries.js';
import { roleInUse, roleNotFound } from './role.errors.js';

const rulesWithRoles = z.array(z.object({ roleId: z.string() }));

/** Deletes a role and its assignments. Rejects a role that a rule grants: dropping the rule would be a silent change. */
@Injectable()
export class DeleteRoleService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly revocation: RevokeRoleService,
  ) {}

  /**
   * Deletes the role at once. DeletedRolesSweeper revokes it from the members beyond the first batch.
   * @throws AppError 404 where there is no such role, 409 while a rule grants it
   */
  async delete(principal: Principal, communityId: string, roleId: string): Promise<void> {
    await this.access.requireAdministrator(principal, communityId);
    await this.database.transaction(async (manager) => {
      await lockAssignmentsExclusive(manager, communityId);
      const { rules } = await this.access.requireAdministrator(principal, communityId, manager);
      if (rulesWithRoles.parse(rules).some((rule) => rule.roleId === roleId)) throw roleInUse();
      if (!(await deleteRole(manager, communityId, roleId))) throw roleNotFound();
      const role = { communityId, roleId };
      if (await this.revocation.revokeBatch(manager, role)) await insertDeletedRole(manager, role);
    });
  }
}
