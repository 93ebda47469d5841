import type { Principal } from '@app/auth';
import { conflict } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { createId } from '../access/community-record.js';
import type { CommunityRole, CommunityRoleChange, NewCommunityRole } from './community-role.dto.js';
import { loadRoles, ROLE_COLUMNS, roleRow } from './load-roles.js';
import { roleNotFound } from './role.errors.js';

export const MAX_COMMUNITY_ROLES = 250;

const COUNT = `
  SELECT count(*)::int AS count, coalesce(max(position), 0)::int AS last
  FROM token_gating.community_roles WHERE community_id = $1`;
const INSERT = `
  INSERT INTO token_gating.community_roles (community_id, id, name, color, position)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING ${ROLE_COLUMNS}`;
const UPDATE = `
  UPDATE token_gating.community_roles
  SET name = coalesce($3, name), color = CASE WHEN $5 THEN $4 ELSE color END
  WHERE community_id = $1 AND id = $2 RETURNING ${ROLE_COLUMNS}`;

const counted = z.tuple([z.object({ count: z.int(), last: z.int() })]);
const roles = z.array(roleRow).max(1);

/** The roles that a community's rules grant. */
@Injectable()
export class CommunityRolesService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
  ) {}

  async list(caller: Principal, communityId: string): Promise<CommunityRole[]> {
    await this.access.requireViewer(caller, communityId);
    const rolesOf = await this.database.withConnection((manager) => loadRoles(manager, [communityId]));
    return rolesOf(communityId);
  }

  /** @throws AppError 409 when there is one of that id, or no room for another */
  create(caller: Principal, communityId: string, body: NewCommunityRole): Promise<CommunityRole> {
    return this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(caller, communityId, manager);
      const { id = createId('role'), name, color = null } = body;
      const position = await checkRoleLimit(manager, communityId);
      const [role] = roles.parse(await queryRows(manager, INSERT, [communityId, id, name, color, position]));
      if (!role) throw roleConflict();
      return role;
    });
  }

  /** @throws AppError 404 when there is no such role */
  update(
    caller: Principal,
    communityId: string,
    roleId: string,
    { name, color }: CommunityRoleChange,
  ): Promise<CommunityRole> {
    return this.database.transaction(async (manager) => {
      await this.access.requireAdministrator(caller, communityId, manager);
      const values = [communityId, roleId, name ?? null, color ?? null, color !== undefined];
      const [role] = roles.parse(await queryRows(manager, UPDATE, values));
      if (!role) throw roleNotFound();
      return role;
    });
  }
}

/** @returns the place of one more */
async function checkRoleLimit(manager: EntityManager, communityId: string): Promise<number> {
  const [{ count, last }] = counted.parse(await queryRows(manager, COUNT, [communityId]));
  if (count >= MAX_COMMUNITY_ROLES)
    throw conflict('role_limit_exceeded', `A community has at most ${MAX_COMMUNITY_ROLES} roles.`);
  return last + 1;
}

const roleConflict = () => conflict('role_conflict', 'The community has a role of this id already.');
