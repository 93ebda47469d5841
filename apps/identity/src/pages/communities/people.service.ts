import { Database } from '@app/database';
import { account, type UserPlatform, userPlatform } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { findUsernameHolders } from '../../users/profile/usernames.queries.js';
import { USERNAME_PATTERN } from '../../users/profile/profile-fields.js';
import { toSolanaReference } from '../../wallet-signatures/sign-in-chains.js';
import { findNamesOfUsers, findPlatformIds } from '../../users/users.queries.js';
import {
  createSolanaWallet,
  findIdentityAccount,
  parseCandidateWallets,
  shortenAccount,
  toUserId,
} from '../../users/wallets/wallet.js';
import type { PersonView } from '../views/community-views.js';
import { PageRenderer } from '../views/page-renderer.js';

interface Person {
  readonly name?: string | undefined;
  readonly platform: string;
  readonly platformUserId?: string | undefined;
}

const isPlatform = (text: string): text is UserPlatform => userPlatform.safeParse(text).success;

/** What a user is called on pages for those who run a community: the own name, else the shortened address, else the id on the platform. */
export function toPersonView({ name, platform, platformUserId }: Person): PersonView {
  const accountId =
    platformUserId !== undefined && isPlatform(platform)
      ? findIdentityAccount(platform, platformUserId)
      : undefined;
  const account =
    accountId === undefined ? describePlatformUser(platform, platformUserId) : shortenAccount(accountId);
  return { title: name ?? account, isNamed: name !== undefined, account, accountId };
}

const describePlatformUser = (platform: string, id: string | undefined): string =>
  id === undefined ? `A user of ${platform}` : `${platform} user ${id}`;

const UNKNOWN_PERSON: PersonView = {
  title: 'A deleted account',
  isNamed: true,
  account: '',
  accountId: undefined,
};

/** Finds what users are called, and users by what somebody calls them. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly database: Database,
    private readonly pages: PageRenderer,
  ) {}

  /** What a user is called, and which account of the test wallet this is in a local profile. */
  toView(person: Person): PersonView {
    const view = toPersonView(person);
    const testAccount = this.pages.findAccountName(view.accountId ?? null);
    return testAccount === undefined ? view : { ...view, testAccount };
  }

  /** @returns one view per user id, in order */
  async describe(userIds: readonly string[]): Promise<PersonView[]> {
    const [users, names] = await Promise.all([
      findPlatformIds(this.database, userIds),
      findNamesOfUsers(this.database, userIds),
    ]);
    const usersById = new Map(users.map((user) => [user.id, user]));
    const namesById = new Map(names.map(({ id, name }) => [id, name]));
    return userIds.map((id) => {
      const user = usersById.get(id);
      return user ? this.toView({ ...user, name: namesById.get(id) }) : UNKNOWN_PERSON;
    });
  }

  /**
   * Finds the users that a text may mean: a username, or the address that a user's id follows from. Linked wallets are not looked through, because
   * finding a user by one would tell whose it is.
   */
  async findUserIds(text: string): Promise<string[]> {
    const username = text.replace(/^@/, '').toLowerCase();
    if (USERNAME_PATTERN.test(username))
      return this.database.withConnection((manager) => findUsernameHolders(manager, username));
    return listWallets(text).map(toUserId);
  }
}

/** The wallets that an address stands for. A plain address is that of an externally owned account. */
function listWallets(text: string) {
  const candidates = parseCandidateWallets(text);
  if (candidates.length > 0) return candidates;
  const { data } = account.safeParse(text);
  switch (data?.family) {
    case 'evm':
      return parseCandidateWallets(`eip155:1:${text}`).filter(({ type }) => type === 'eoa');
    case 'solana':
      return [createSolanaWallet(toSolanaReference('mainnet'), data.address)];
    default:
      return [];
  }
}
