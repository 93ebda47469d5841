import type { Principal } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityEvents } from '../../community-events/community-events.js';
import { newEvent } from '../../community-events/new-event.js';
import { stopStoring } from '../../role-assignments/storing-lock.js';
import { CommunityAccess } from '../access/community-access.js';
import { CLOCK_ISO } from '../shared/database-time.js';
import { roleInUse, roleNotFound } from './role.errors.js';

/** Assignments that go in one transaction, each with its event: others wait for the community no longer than that. */
const PIECE = 2_000;

const EXISTS = 'SELECT FROM token_gating.community_roles WHERE community_id = $1 AND id = $2';
const REVOKE = `
  DELETE FROM token_gating.role_assignments
  WHERE community_id = $1 AND role_id = $2 AND user_id = ANY(ARRAY(
    SELECT user_id FROM token_gating.role_assignments
    WHERE community_id = $1 AND role_id = $2 LIMIT $3))
  RETURNING user_id AS "userId", ${CLOCK_ISO} AS at`;
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
    private readonly access: CommunityAccess,
    private readonly events: CommunityEvents,
  ) {}

  /**
   * In pieces, the role itself last: whoever is interrupted calls again. No rule grants it, so nobody gets it meanwhile:
   * what was judged by rules that did is of an earlier revision, and not stored.
   * @throws AppError 404 when there is none, 409 while rules name it
   */
  async remove(caller: Principal, communityId: string, roleId: string): Promise<void> {
    const removePiece = () =>
      this.database.transaction((manager) => this.removePiece(manager, caller, communityId, roleId));
    await this.access.administer(caller, communityId);
    let removed = await removePiece();
    if (removed === undefined) throw roleNotFound();
    // Somebody else may end it meanwhile.
    while (removed === PIECE) removed = await removePiece();
  }

  /** @returns how many lost it; undefined where there is no such role */
  private async removePiece(
    manager: EntityManager,
    caller: Principal,
    communityId: string,
    roleId: string,
  ): Promise<number | undefined> {
    await stopStoring(manager, communityId);
    const { rules } = await this.access.administer(caller, communityId, manager);
    if ((await rowsOf(manager, EXISTS, [communityId, roleId])).length === 0) return undefined;
    if (rulesWithRoles.parse(rules).some((rule) => rule.roleId === roleId)) throw roleInUse();
    const members = revoked.parse(await rowsOf(manager, REVOKE, [communityId, roleId, PIECE]));
    if (members.length < PIECE) await rowsOf(manager, DELETE, [communityId, roleId]);
    const events = members.map(({ userId, at }) =>
      newEvent({ type: 'role.revoked', at, communityId, userId, roleId }),
    );
    await this.events.emit(manager, events);
    return members.length;
  }
}
