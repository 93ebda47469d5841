import { notFound } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Actor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { ProfileService } from '../users/profile/profile.service.js';
import { findUsernameHolders } from '../users/profile/usernames.queries.js';

/** Platforms whose users sign in, and so have usernames of this service. */
const PLATFORMS = ['ethereum', 'solana'];

const userNotFound = () => notFound('user_not_found', 'No user who signs in has this id.');

const usernameNotFound = () => notFound('username_not_found', 'Nobody has or had this username.');

const lockedRows = z.array(z.object({ id: z.string(), platform: z.string() }));

/** Operators' decisions about usernames: for trademarks, mistakes, and words that somebody took only to keep them from others. */
@Injectable()
export class OperatorUsernamesService {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfileService,
  ) {}

  /** Gives a username to a user, also a reserved one, and takes it from whoever has or had it. Idempotent. @throws AppError 404 */
  async give(actor: Actor, username: string, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const holders = await findUsernameHolders(manager, username);
      const locked = await lockUsers(manager, [...holders, userId]);
      const isUser = locked.some(({ id, platform }) => id === userId && PLATFORMS.includes(platform));
      if (!isUser) throw userNotFound();
      await this.profiles.giveUsername(manager, username, userId);
      await recordAudit(manager, actor, { action: 'username.given', target: userId, details: { username } });
    });
  }

  /** Lets anybody take a username: whoever has it loses it. @throws AppError 404 */
  async free(actor: Actor, username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockUsers(manager, await findUsernameHolders(manager, username));
      if (!(await this.profiles.freeUsername(manager, username))) throw usernameNotFound();
      await recordAudit(manager, actor, { action: 'username.freed', target: username });
    });
  }
}

/** Locks users as changes of their profiles do, in the order of their ids. */
async function lockUsers(
  manager: EntityManager,
  ids: readonly string[],
): Promise<z.output<typeof lockedRows>> {
  const sql = `SELECT id, platform FROM identity.users WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`;
  return lockedRows.parse(await queryRows(manager, sql, [ids]));
}
