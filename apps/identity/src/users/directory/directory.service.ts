import { deriveUserId } from '@app/auth';
import { Database } from '@app/database';
import type {
  AccountWalletsRequest,
  AccountWalletsResponse,
  PlatformUser,
  PlatformUsersResponse,
  UsersResponse,
  WalletsResponse,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { fillMissingProfileFields, findPlatformIds, insertUsers } from '../users.queries.js';
import { findVisibleWallets, findWalletsOfUsers } from '../wallets/wallet-connections.queries.js';

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

  /** Inserts unknown users and fills missing fields. @returns one user id per input, in order; duplicates share an id */
  async upsertUsers(users: readonly PlatformUser[]): Promise<PlatformUsersResponse> {
    const userIds = users.map(({ platform, platformUserId }) => deriveUserId(platform, platformUserId));
    const byId = new Map<string, PlatformUser>();
    for (const [index, user] of users.entries()) {
      const id = userIds[index] ?? '';
      byId.set(id, { ...user, ...byId.get(id) });
    }
    const column = (field: keyof PlatformUser) => [...byId.values()].map((user) => user[field] ?? null);
    const columns = {
      ids: [...byId.keys()],
      platforms: column('platform'),
      platformUserIds: column('platformUserId'),
      profiles: [column('userName'), column('username'), column('name'), column('picture')],
    };
    await insertUsers(this.database, columns);
    await fillMissingProfileFields(this.database, columns);
    return { userIds };
  }
}
