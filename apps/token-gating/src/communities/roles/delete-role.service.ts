import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent } from '../events/create-community-event.js';
import { deleteRole, hasRole } from './community-roles.queries.js';
import { lockAssignmentsExclusive, revokeRole } from './role-assignments.queries.js';
import { roleInUse, roleNotFound } from './role.errors.js';

/** Each assignment publishes an event. Bounds how long one transaction holds the lock of the community. */
const MAX_ASSIGNMENTS_PER_TRANSACTION = 2_000;

const rulesWithRoles = z.array(z.object({ roleId: z.string() }));

/** Deletes a role and its assignments. Rejects a role that a rule grants: dropping the rule would be a silent change. */
@Injectable()
export class DeleteRoleService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly events: CommunityEventPublisher,
  ) {}

  /**
   * Deletes assignments in batches and the role with the last one; an interrupted call can be repeated. No member gets
   * the role meanwhile: no rule grants it, and evaluations by earlier rules are not stored.
   * @throws AppError 404 where there is no such role, 409 while a rule grants it
   */
  async delete(principal: Principal, communityId: string, roleId: string): Promise<void> {
    const deleteBatch = () =>
      this.database.transaction((manager) => this.deleteBatch(manager, principal, communityId, roleId));
    await this.access.requireAdministrator(principal, communityId);
    let deleted = await deleteBatch();
    if (deleted === undefined) throw roleNotFound();
    // A later batch may find no role, because a concurrent request has deleted it.
    while (deleted === MAX_ASSIGNMENTS_PER_TRANSACTION) deleted = await deleteBatch();
  }

  /** @returns how many assignments were deleted; undefined where there is no such role */
  private async deleteBatch(
    manager: EntityManager,
    principal: Principal,
    communityId: string,
    roleId: string,
  ): Promise<number | undefined> {
    await lockAssignmentsExclusive(manager, communityId);
    const { rules } = await this.access.requireAdministrator(principal, communityId, manager);
    if (!(await hasRole(manager, communityId, roleId))) return undefined;
    if (rulesWithRoles.parse(rules).some((rule) => rule.roleId === roleId)) throw roleInUse();
    const members = await revokeRole(manager, communityId, roleId, MAX_ASSIGNMENTS_PER_TRANSACTION);
    if (members.length < MAX_ASSIGNMENTS_PER_TRANSACTION) await deleteRole(manager, communityId, roleId);
    const events = members.map(({ userId, at }) =>
      createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    await this.events.publish(manager, events);
    return members.length;
  }
}
