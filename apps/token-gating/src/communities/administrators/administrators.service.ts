import { type Principal, requireSignedInUser } from '@app/auth';
import { conflict } from '@app/common';
import { Database } from '@app/database';
import { EXAMPLES } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityParams } from '../access/community-record.js';
import { ownerOnly, userNotFound } from '../access/community.errors.js';
import { isMember } from '../members/community-members.queries.js';
import {
  countAdministrators,
  deleteAdministrator,
  insertAdministrator,
  isAdministrator,
  listAdministrators,
} from './community-administrators.queries.js';

export const administratorList = z
  .object({
    items: z.array(z.object({ userId: z.string(), isOwner: z.boolean(), createdTime: z.iso.datetime() })),
  })
  .meta({ id: 'CommunityAdministratorList' });
type AdministratorList = z.output<typeof administratorList>;

export const administratorParams = communityParams.extend({
  userId: z.string().min(1).max(128).meta({ example: EXAMPLES.outsiderId }),
});
export type AdministratorParams = z.output<typeof administratorParams>;

export const MAX_ADMINISTRATORS = 100;

/** Lists, adds and removes administrators. The owner is always one. */
@Injectable()
export class AdministratorsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
  ) {}

  async list(principal: Principal, communityId: string): Promise<AdministratorList> {
    const { ownerId } = await this.access.requireManager(principal, communityId);
    const rows = await listAdministrators(this.database, communityId);
    const items = rows.map(({ userId, createdAt }) => ({
      userId,
      isOwner: userId === ownerId,
      createdTime: createdAt.toISOString(),
    }));
    return { items };
  }

  /**
   * Makes a member an administrator. Idempotent.
   * @throws AppError 404 for a user who is not a member, 409 at the limit of administrators
   */
  async add(principal: Principal, communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.requireOwner(principal, communityId, manager);
      if (await isAdministrator(manager, communityId, userId)) return;
      if (!(await isMember(manager, communityId, userId))) throw userNotFound();
      if ((await countAdministrators(manager, communityId)) >= MAX_ADMINISTRATORS)
        throw administratorLimitExceeded();
      await insertAdministrator(manager, communityId, userId);
    });
  }

  /** The owner may remove every other administrator; an administrator may remove only themselves. */
  async remove(principal: Principal, communityId: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const { isOwner, ownerId } = await this.access.requireAdministrator(principal, communityId, manager);
      if (!isOwner && requireSignedInUser(principal).id !== userId) throw ownerOnly();
      if (userId === ownerId) throw ownerNotRemovable();
      if (!(await isAdministrator(manager, communityId, userId))) throw userNotFound();
      await deleteAdministrator(manager, communityId, userId);
    });
  }
}

const administratorLimitExceeded = () =>
  conflict('administrator_limit_exceeded', `A community has at most ${MAX_ADMINISTRATORS} administrators.`);

const ownerNotRemovable = () =>
  conflict(
    'owner_removal_conflict',
    'The owner is always an administrator: transfer the ownership of the community first.',
  );
