import { notFound } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { AeTokenService } from '../ethereum-login/id-tokens/ae-token.service.js';
import { UserCredentialService } from '../ethereum-login/credentials/user-credential.service.js';
import { OidcService } from '../oauth2/oidc.service.js';
import { eraseEnsName } from '../users/ens/ens-names.queries.js';
import { deleteProfiles } from '../users/directory/platform-user-profiles.queries.js';
import { ProfileService } from '../users/profile/profile.service.js';
import { UserEventsService } from '../users/user-events.service.js';
import { deletePasskeys, eraseProfile } from '../users/users.queries.js';
import type { Actor } from '../applications/audit/audit-action.js';
import { eraseGivenUsernames, recordAudit } from '../applications/audit/audit-records.queries.js';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { findUsernameHolders } from '../users/profile/usernames.queries.js';

const userNotFound = () => notFound('user_not_found', 'There is no user with this id.');

/** Erases the person behind a user: from the profile and the applications here, from communities and from analytics. */
@Injectable()
export class UserErasureService {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfileService,
    private readonly events: UserEventsService,
    private readonly oidc: OidcService,
    private readonly aeTokens: AeTokenService,
    private readonly credentials: UserCredentialService,
  ) {}

  /** Idempotent. @throws AppError 404 */
  async erase(actor: Actor, userId: string): Promise<void> {
    await this.disconnectAll(userId);
    await this.database.transaction(async (manager) => {
      await this.profiles.eraseUsernames(manager, userId);
      // Passkeys go first: a login with one that is under way stores its session before they are deleted, or never.
      await deletePasskeys(manager, userId);
      const at = await eraseProfile(manager, userId);
      if (at === undefined) throw userNotFound();
      await eraseEnsName(manager, userId);
      await deleteProfiles(manager, userId);
      await eraseGivenUsernames(manager, userId);
      await recordAudit(manager, actor, { action: 'user.erased', target: userId });
      await this.events.publish(manager, { type: 'user.erased', at, userId });
    });
  }

  /** Ends the grants, the tokens and the signed credentials of all client applications. */
  private async disconnectAll(userId: string): Promise<void> {
    const connections = [
      ...(await this.oidc.listGrants(userId)),
      ...(await this.aeTokens.listActiveLogins(userId)),
    ];
    for (const clientId of new Set(connections.map((connection) => connection.clientId))) {
      // Beyond the quota of revocations they end by themselves, within a day.
      await this.credentials.revokeAllForClient(userId, clientId);
      await this.oidc.revokeConsent(userId, clientId);
      await this.aeTokens.revokeAllForClient(userId, clientId);
    }
  }
}

/** Platforms whose users sign in, and so have usernames of this service. */
const PLATFORMS = ['ethereum', 'solana'];

const signInUserNotFound = () => notFound('user_not_found', 'No user who signs in has this id.');

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
      if (!isUser) throw signInUserNotFound();
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
