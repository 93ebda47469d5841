import { type Principal, requireSignedInUser } from '@app/auth';
import { notFound } from '@app/common';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { User, UserChange, WalletConnectionPage } from './user.dto.js';
import { updateProfile, type UserRecord } from './users.queries.js';
import { UsersService } from './users.service.js';
import type { NamedLink } from './wallet-linking/link-message-query.decorator.js';
import { WalletLinkingService } from './wallet-linking/wallet-linking.service.js';
import { findLinkedUserIds, listWallets } from './wallets/wallet-connections.queries.js';
import { toAccountOwner } from './wallets/wallet-connections.service.js';
import { findIdentityAccount } from './wallets/wallet.js';

const userNotFound = () => notFound('user_not_found', 'No user has this id.');

function toUser({ platformUserId, ...record }: UserRecord, principal: Principal): User {
  const { id, platform, createdTime } = record;
  const address = findIdentityAccount(platform, platformUserId);
  const isReadable = principal.kind === 'caller' && principal.scopes.includes('user:read');
  if (!isReadable) return { id, platform, createdTime, address };
  // What an application calls a platform user is `userName`, too: clients read either of the two.
  return { ...record, userName: record.userName ?? record.username, address };
}

/** The account of the signed-in user. Stores the user on the first request with an Ethereum credential. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly pages: PaginationService,
    private readonly users: UsersService,
    private readonly linking: WalletLinkingService,
  ) {}

  /** The user, with the names and the picture only where the token's scopes permit. @throws AppError 404 */
  async getProfile(principal: Principal): Promise<User> {
    return toUser(await this.loadProfile(principal), principal);
  }

  /** @throws AppError 404 */
  async changeProfile(principal: Principal, change: UserChange): Promise<User> {
    const { id } = await this.loadProfile(principal);
    const changed = await updateProfile(this.database, id, change);
    if (!changed) throw userNotFound();
    return toUser(changed, principal);
  }

  /** @throws AppError 404 for a user that is not stored and cannot be derived from a wallet */
  async loadProfile(principal: Principal): Promise<UserRecord> {
    const record = await this.users.findOrCreate(requireSignedInUser(principal));
    if (!record) throw userNotFound();
    return record;
  }

  /** Loads the profile, which stores a new user's wallet, only when the first page is empty. @throws AppError 400 for a token of another list or user */
  async listWallets(principal: Principal, query: PageQuery): Promise<WalletConnectionPage> {
    const { id } = requireSignedInUser(principal);
    const page = await this.loadWalletPage(id, principal, query);
    if (page.items.length > 0 || query.paginationToken !== undefined) return page;
    await this.loadProfile(principal);
    return this.loadWalletPage(id, principal, query);
  }

  async listLinkedUsers(principal: Principal): Promise<{ items: string[] }> {
    const { id } = await this.loadProfile(principal);
    return { items: await findLinkedUserIds(this.database, id) };
  }

  async issueChallenge(principal: Principal, named?: NamedLink): Promise<{ message: string }> {
    await this.loadProfile(principal);
    return { message: await this.linking.issueChallenge(principal, named) };
  }

  private loadWalletPage(
    userId: string,
    principal: Principal,
    query: PageQuery,
  ): Promise<WalletConnectionPage> {
    return this.pages.paginate({
      list: 'wallets',
      principal,
      query,
      load: (cursor) => listWallets(this.database, toAccountOwner(userId), cursor),
      toSortKey: ({ at, id }) => [at, id],
    });
  }
}
