import { deriveUserId } from '@app/auth';
import { Database } from '@app/database';
import type {
  AccountWalletsRequest,
  AccountWalletsResponse,
  DeletedCommunityResponse,
  MatchingUsersRequest,
  MatchingUsersResponse,
  MemberWalletsRequest,
  MemberWalletsResponse,
  PlatformUser,
  PlatformUsersRequest,
  PlatformUsersResponse,
  UserNamesRequest,
  UserNamesResponse,
  UsersResponse,
  WalletLinksRequest,
  WalletLinksResponse,
  WalletReadersRequest,
  WalletReadersResponse,
  WalletsRequest,
  WalletsResponse,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import {
  findMatchingUsers,
  findNamesOfUsers,
  findPlatformIds,
  findReportedNames,
  insertUsers,
} from '../users.queries.js';
import { findWalletLinks } from '../wallets/unlinked-wallets-sweeper.js';
import {
  deleteCommunityWallets,
  findVisibleWallets,
  findWalletReaders,
  findWalletsOfMembers,
  type WalletOwner,
} from '../wallets/wallet-connections.queries.js';
import { upsertProfiles } from './platform-user-profiles.queries.js';

/** Keeps a statement far below the statement timeout. */
const MAX_WALLETS_PER_STATEMENT = 5_000;

/** Looks up users and wallets for other apps, and stores platform users that client applications report. */
@Injectable()
export class DirectoryService {
  constructor(private readonly database: Database) {}

  async findUsers(userIds: readonly string[]): Promise<UsersResponse> {
    return { users: await findPlatformIds(this.database, userIds) };
  }

  /** What users are called: by themselves, or by a client application that asks for the names that it reported. */
  async findNames({ userIds, clientId }: UserNamesRequest): Promise<UserNamesResponse> {
    const users =
      clientId === undefined
        ? await findNamesOfUsers(this.database, userIds)
        : await findReportedNames(this.database, userIds, clientId);
    return { users };
  }

  /** Which of these users have a name that holds the text. */
  async findMatching({ userIds, text }: MatchingUsersRequest): Promise<MatchingUsersResponse> {
    return { userIds: await findMatchingUsers(this.database, userIds, text) };
  }

  /** The wallets of users that count in a community. */
  async findWallets({ userIds, communityId = '' }: WalletsRequest): Promise<WalletsResponse> {
    const members = userIds.map((userId) => ({ userId, communityId }));
    const found = await findWalletsOfMembers(this.database, members);
    return { users: found.map(({ userId, wallets }) => ({ userId, wallets })) };
  }

  /** The wallets of members that count in the community of each, in order. */
  async findMemberWallets({ members }: MemberWalletsRequest): Promise<MemberWalletsResponse> {
    const toKey = (owner: WalletOwner): string => JSON.stringify([owner.communityId, owner.userId]);
    const found = await findWalletsOfMembers(this.database, members);
    const byMember = new Map(found.map((member) => [toKey(member), member.wallets]));
    return { wallets: members.map((member) => byMember.get(toKey(member)) ?? []) };
  }

  /** Finds out when the wallets of users that count in a community were linked and unlinked. */
  async findWalletLinks({ userIds, communityId }: WalletLinksRequest): Promise<WalletLinksResponse> {
    const users = await findWalletLinks(this.database, userIds, communityId);
    return { users: [...users].map(([userId, links]) => ({ userId, links })) };
  }

  /** The wallets of a user, if the requester may read them. */
  async findVisibleWallets(request: AccountWalletsRequest): Promise<AccountWalletsResponse> {
    return { wallets: await findVisibleWallets(this.database, request) };
  }

  /** The client applications that may read the wallets of each user. */
  async findWalletReaders({ userIds }: WalletReadersRequest): Promise<WalletReadersResponse> {
    return { users: await findWalletReaders(this.database, userIds) };
  }

  /** Removes wallets that were linked in a deleted community, a piece at a time. */
  async removeCommunityWallets(communityId: string): Promise<DeletedCommunityResponse> {
    const count = await deleteCommunityWallets(this.database, communityId, MAX_WALLETS_PER_STATEMENT);
    return { hasMore: count === MAX_WALLETS_PER_STATEMENT };
  }

  /**
   * Inserts unknown users, and stores the client application's profile of each, if it is named.
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
    if (clientId === undefined) return { userIds };
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
