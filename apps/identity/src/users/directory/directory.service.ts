import { deriveUserId } from '@app/auth';
import { Database } from '@app/database';
import type {
  AccountWalletsRequest,
  AccountWalletsResponse,
  PlatformUser,
  PlatformUsersRequest,
  PlatformUsersResponse,
  UsersResponse,
  WalletsResponse,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { findPlatformIds, insertUsers } from '../users.queries.js';
import { findVisibleWallets, findWalletsOfUsers } from '../wallets/wallet-connections.queries.js';
import { upsertProfiles } from './platform-user-profiles.queries.js';

/** Looks up users and wallets for other apps, and stores platform users that client applications report. */
@Injectable()
export class DirectoryService {
  constructor(private readonly database: Database) {}

  async findUsers(userIds: readonly string[]): Promise<UsersResponse> {
    return { users: await findPlatformIds(this.database, userIds) };
  }

  async findWallets(userIds: readonly string[]): Promise<WalletsResponse> {
    const users = await findWalletsOfUsers(this.database, userIds);
    return { users: [...users].map(([userId, wallets]) => ({ userId, wallets })) };
  }

  /** The wallets of a user, if the requester may read them. */
  async findVisibleWallets(request: AccountWalletsRequest): Promise<AccountWalletsResponse> {
    return { wallets: await findVisibleWallets(this.database, request) };
  }

  /**
   * Inserts unknown users, and stores the client application's profile of each.
   * @returns one user id per input, in order; duplicates share an id
   */
  async upsertUsers({ clientId, users }: PlatformUsersRequest): Promise<PlatformUsersResponse> {
    const userIds = users.map(({ platform, platformUserId }) => deriveUserId(platform, platformUserId));
    const byId = new Map<string, PlatformUser>();
    for (const [index, user] of users.entries()) {
      const id = userIds[index] ?? '';
      byId.set(id, { ...user, ...byId.get(id) });
    }
    const ids = [...byId.keys()];
    const distinct = [...byId.values()];
    await insertUsers(this.database, {
      ids,
      platforms: distinct.map(({ platform }) => platform),
      platformUserIds: distinct.map(({ platformUserId }) => platformUserId),
    });
    await upsertProfiles(this.database, clientId, {
      userIds: ids,
      userNames: distinct.map(({ userName }) => userName ?? null),
      usernames: distinct.map(({ username }) => username ?? null),
      names: distinct.map(({ name }) => name ?? null),
      pictures: distinct.map(({ picture }) => picture ?? null),
    });
    return { userIds };
  }
}
