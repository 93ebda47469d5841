import type { Principal } from '@app/auth';
import { conflict, createPrefixedId, notFound } from '@app/common';
import { Database } from '@app/database';
import type { NewCommunityRole } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CommunityAccessService } from '../access/community-access.service.js';
import type { CommunityRole, CommunityRoleChange } from './community-role.dto.js';
import { countRoles, insertRole, loadRoles, updateRole, deleteRole } from './community-roles.queries.js';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { revokeRoleCredentials } from '../../credential-revocations/revoke-credentials.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { insertDeletedRole } from './deleted-roles.queries.js';
import { lockAssignmentsExclusive, revokeRole } from './role-assignments.queries.js';

const roleNotFound = () => notFound('role_not_found', 'The community has no such role.');

const roleInUse = () =>
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

/** Each assignment publishes an event. Bounds how long one transaction holds the lock of the community. */
const MAX_ASSIGNMENTS_PER_TRANSACTION = 2_000;

/** Revokes a role and the credentials about it from members, with an event per member. */
@Injectable()
export class RevokeRoleService {
  constructor(private readonly events: CommunityEventPublisher) {}

  /** The transaction must hold the exclusive lock of the assignments. @returns whether there may be more members */
  async revokeBatch(
    manager: EntityManager,
    { communityId, roleId }: { communityId: string; roleId: string },
  ): Promise<boolean> {
    const members = await revokeRole(manager, communityId, roleId, MAX_ASSIGNMENTS_PER_TRANSACTION);
    const lost = members.map(({ userId }) => ({ userId, roleId }));
    await revokeRoleCredentials(manager, communityId, lost);
    const events = members.map(({ userId, at }) =>
      createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    await this.events.publish(manager, events);
    return members.length === MAX_ASSIGNMENTS_PER_TRANSACTION;
  }
}

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
   * Deletes the role at once. PurgeSweeper revokes it from the members beyond the first batch.
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
