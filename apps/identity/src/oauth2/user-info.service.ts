import { type Principal, requireSignedInUser } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { UsersService } from '../users/users.service.js';
import { listWalletAccounts } from '../users/wallets/wallet-connections.queries.js';
import { findIdentityAccount, shortenAccount } from '../users/wallets/wallet.js';
import type { userInfo } from './openid.dto.js';

type UserClaims = z.input<typeof userInfo>;

/** Claims about a user, in answers of UserInfo and in id tokens. */
@Injectable()
export class UserInfoService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
  ) {}

  getClaims(principal: Principal): Promise<UserClaims> {
    const { id } = requireSignedInUser(principal);
    return this.loadClaims(id, principal.kind === 'caller' ? principal.scopes : []);
  }

  /** Reads nothing for a token that permits no more than `sub`. */
  async loadClaims(userId: string, scopes: readonly string[]): Promise<UserClaims> {
    return {
      sub: userId,
      ...(scopes.includes('user:read') && (await this.loadProfile(userId))),
      ...(scopes.includes('user:wallet:read') && {
        wallets: await listWalletAccounts(this.database, userId),
      }),
    };
  }

  private async loadProfile(userId: string): Promise<Omit<UserClaims, 'sub'>> {
    const user = await this.users.find(userId);
    if (!user) return {};
    const { username, name, picture } = user;
    const account = findIdentityAccount(user.platform, user.platformUserId);
    return { name, preferred_username: username ?? (account && shortenAccount(account)), picture };
  }
}
