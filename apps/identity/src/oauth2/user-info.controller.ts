import { type Principal, CurrentPrincipal, requireSignedInUser } from '@app/auth';
import { FormBody, Operation, Returns } from '@app/service';
import { Controller, HttpCode, Post, Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { userInfo } from './openid.dto.js';
import { Database } from '@app/database';
import { UserNamesService } from '../users/ens/user-names.service.js';
import { UsersService } from '../users/users.service.js';
import { listWalletAccounts } from '../users/wallets/wallet-connections.queries.js';

type UserClaims = z.input<typeof userInfo>;

/** Claims about a user, in answers of UserInfo and in id tokens. */
@Injectable()
export class UserInfoService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly names: UserNamesService,
  ) {}

  getClaims(principal: Principal): Promise<UserClaims> {
    const { id } = requireSignedInUser(principal);
    if (principal.kind !== 'caller') return this.loadClaims(id, []);
    return this.loadClaims(id, principal.scopes, principal.client?.id);
  }

  /** Reads nothing for a token that permits no more than `sub`. @param clientId the application that gets the claims */
  async loadClaims(userId: string, scopes: readonly string[], clientId = ''): Promise<UserClaims> {
    return {
      sub: userId,
      ...(scopes.includes('user:read') && (await this.loadProfile(userId, clientId))),
      ...(scopes.includes('user:wallet:read') && {
        wallets: await listWalletAccounts(this.database, userId),
      }),
    };
  }

  private async loadProfile(userId: string, clientId: string): Promise<Omit<UserClaims, 'sub'>> {
    const user = await this.users.find(userId);
    if (!user) return {};
    const { name, picture } = user;
    return { name, preferred_username: await this.names.findPreferredUsername(user, clientId), picture };
  }
}

/** UserInfo by POST (OpenID Connect Core 1.0 section 5.3.1). Accepts the token in `Authorization` only. */
@Controller('oauth2/userinfo')
export class UserInfoController {
  constructor(private readonly userInfo: UserInfoService) {}

  @Post()
  @Operation({
    caller: 'user',
    scope: 'openid',
    summary: 'Claims about the user (by POST)',
    description:
      'The same claims as by GET, for client libraries that ask by POST (OpenID Connect Core 1.0 section 5.3.1). The token ' +
      'stands in `Authorization`, not in the body.',
  })
  @FormBody()
  @HttpCode(200)
  @Returns(userInfo)
  postUserInfo(@CurrentPrincipal() principal: Principal): Promise<z.input<typeof userInfo>> {
    return this.userInfo.getClaims(principal);
  }
}
