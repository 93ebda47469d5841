import { type Principal, requireSignedInUser } from '@app/auth';
import { conflict } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { ownerOnly, userNotFound } from '../access/community.errors.js';
import type { AdministratorList } from './administrator.dto.js';
import { isAdministrator } from './is-administrator.js';

export const MAX_ADMINISTRATORS = 100;

const LIST = `
  SELECT user_id AS "userId", created_at AS "createdAt" FROM token_gating.community_administrators
  WHERE community_id = $1 ORDER BY created_at, user_id`;
const COUNT = `
  SELECT count(*)::int AS count FROM token_gating.community_administrators WHERE community_id = $1`;
const MEMBER = 'SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2';
const INSERT = `
  INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)`;
const DELETE = 'DELETE FROM token_gating.community_administrators WHERE community_id = $1 AND user_id = $2';

const listed = z.array(z.object({ userId: z.string(), createdAt: z.date() }));
const counted = z.tuple([z.object({ count: z.int() })]);

/** Who runs a community. The owner says so, and is one for as long as they own it. */
@Injectable()
export class AdministratorsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
  ) {}

  async list(caller: Principal, communityId: string): Promise<AdministratorList> {
    const { ownerId } = await this.access.requireManager(caller, communityId);
    const found = listed.parse(await this.database.query(LIST, [communityId]));
    const items = found.map(({ userId, createdAt }) => ({
      userId,
      isOwner: userId === ownerId,
      createdTime: createdAt.toISOString(),
    }));
    return { items };
  }

  /**
   * Somebody who is one already stays one. Nobody becomes one who did not join.
   * @throws AppError 404 for who is no member
   */
  async add(caller: Principal, communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.requireOwner(caller, communityId, manager);
      if (await isAdministrator(manager, communityId, userId)) return;
      if ((await queryRows(manager, MEMBER, [communityId, userId])).length === 0) throw userNotFound();
      await checkAdministratorLimit(manager, communityId);
      await queryRows(manager, INSERT, [communityId, userId]);
    });
  }

  /** The owner removes anyone else; administrators may step down themselves. */
  async remove(caller: Principal, communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const { isOwner, ownerId } = await this.access.requireAdministrator(caller, communityId, manager);
      if (!isOwner && requireSignedInUser(caller).id !== userId) throw ownerOnly();
      if (userId === ownerId) throw ownerNotRemovable();
      if (!(await isAdministrator(manager, communityId, userId))) throw userNotFound();
      await queryRows(manager, DELETE, [communityId, userId]);
    });
  }
}

async function checkAdministratorLimit(manager: EntityManager, communityId: string): Promise<void> {
  const [{ count }] = counted.parse(await queryRows(manager, COUNT, [communityId]));
  if (count >= MAX_ADMINISTRATORS)
    throw conflict(
      'administrator_limit_exceeded',
      `A community has at most ${MAX_ADMINISTRATORS} administrators.`,
    );
}

const ownerNotRemovable = () =>
  conflict(
    'owner_removal_conflict',
    'The owner is an administrator: give the community to somebody else first.',
  );
