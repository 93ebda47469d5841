import type { Principal } from '@app/auth';
import { conflict, createPrefixedId, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../access/community-access.service.js';
import type { CommunityRole, CommunityRoleChange, NewCommunityRole } from './community-role.dto.js';
import { countRoles, insertRole, loadRoles, updateRole } from './community-roles.queries.js';

export const roleNotFound = () => notFound('role_not_found', 'The community has no such role.');

export const roleInUse = () =>
  conflict('role_rule_conflict', 'A rule of the community grants this role: remove the rule first.');

export const MAX_COMMUNITY_ROLES = 250;

/** Lists, creates and changes the roles that the rules of a community can grant. */
@Injectable()
export class CommunityRolesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
  ) {}

  async list(principal: Principal, communityId: string): Promise<CommunityRole[]> {
    await this.access.requireViewer(principal, communityId);
    return (await loadRoles(this.database, [communityId])).get(communityId) ?? [];
  }

  /** @throws AppError 409 where the id is in use, or at the limit of roles */
  create(principal: Principal, communityId: string, body: NewCommunityRole): Promise<CommunityRole> {
    return this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(principal, communityId, manager);
      const { id = createPrefixedId('role'), name, color } = body;
      const { count, lastPosition } = await countRoles(manager, communityId);
      if (count >= MAX_COMMUNITY_ROLES) throw roleLimitExceeded();
      const role = await insertRole(manager, communityId, { id, name, color }, lastPosition + 1);
      if (!role) throw roleConflict();
      return role;
    });
  }

  /** @throws AppError 404 where the community has no such role */
  update(
    principal: Principal,
    communityId: string,
    roleId: string,
    change: CommunityRoleChange,
  ): Promise<CommunityRole> {
    return this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(principal, communityId, manager);
      const role = await updateRole(manager, communityId, roleId, change);
      if (!role) throw roleNotFound();
      return role;
    });
  }
}

const roleLimitExceeded = () =>
  conflict('role_limit_exceeded', `A community has at most ${MAX_COMMUNITY_ROLES} roles: delete one first.`);

const roleConflict = () =>
  conflict(
    'role_conflict',
    'The community has a role with this id, or is still revoking a deleted one: use another id.',
  );
