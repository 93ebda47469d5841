import type { Principal } from '@app/auth';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEventPublisher } from '../events/community-event.publisher.js';
import { createCommunityEvent, EVENT_TIME_SQL } from '../events/create-community-event.js';
import { lockAssignmentsExclusive } from './role-assignment-lock.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { roleInUse, roleNotFound } from './role.errors.js';

/** Assignments that go in one transaction, each with its event: others wait for the community no longer than that. */
const MAX_ASSIGNMENTS_PER_TRANSACTION = 2_000;

const EXISTS = 'SELECT FROM token_gating.community_roles WHERE community_id = $1 AND id = $2';
const REVOKE = `
  DELETE FROM token_gating.role_assignments
  WHERE community_id = $1 AND role_id = $2 AND user_id = ANY(ARRAY(
    SELECT user_id FROM token_gating.role_assignments
    WHERE community_id = $1 AND role_id = $2 LIMIT $3))
  RETURNING user_id AS "userId", ${EVENT_TIME_SQL} AS at`;
const DELETE = 'DELETE FROM token_gating.community_roles WHERE community_id = $1 AND id = $2';

const revoked = z.array(z.object({ userId: z.string(), at: z.string() }));
const rulesWithRoles = z.array(z.object({ roleId: z.string() }));

/**
 * Takes a role away, and from those who have it. Rules that grant it stand in the way: to drop them silently would
 * change who gets what.
 */
@Injectable()
export class DeleteRoleService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly events: CommunityEventPublisher,
  ) {}

  /**
   * In pieces, the role itself last: whoever is interrupted calls again. No rule grants it, so nobody gets it meanwhile:
   * what was judged by rules that did is of an earlier revision, and not stored.
   * @throws AppError 404 when there is none, 409 while rules name it
   */
  async delete(caller: Principal, communityId: string, roleId: string): Promise<void> {
    const removePiece = () =>
      this.database.transaction((manager) => this.removePiece(manager, caller, communityId, roleId));
    await this.access.requireAdministrator(caller, communityId);
    let removed = await removePiece();
    if (removed === undefined) throw roleNotFound();
    // Somebody else may end it meanwhile.
    while (removed === MAX_ASSIGNMENTS_PER_TRANSACTION) removed = await removePiece();
  }

  /** @returns how many lost it; undefined where there is no such role */
  private async removePiece(
    manager: EntityManager,
    caller: Principal,
    communityId: string,
    roleId: string,
  ): Promise<number | undefined> {
    await lockAssignmentsExclusive(manager, communityId);
    const { rules } = await this.access.requireAdministrator(caller, communityId, manager);
    if ((await queryRows(manager, EXISTS, [communityId, roleId])).length === 0) return undefined;
    if (rulesWithRoles.parse(rules).some((rule) => rule.roleId === roleId)) throw roleInUse();
    const members = revoked.parse(
      await queryRows(manager, REVOKE, [communityId, roleId, MAX_ASSIGNMENTS_PER_TRANSACTION]),
    );
    if (members.length < MAX_ASSIGNMENTS_PER_TRANSACTION)
      await queryRows(manager, DELETE, [communityId, roleId]);
    const events = members.map(({ userId, at }) =>
      createCommunityEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    await this.events.publish(manager, events);
    return members.length;
  }
}
