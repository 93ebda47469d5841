import type { UserPlatform } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { findIdentityAccount, shortenAccount } from '../wallets/wallet.js';
import { EnsNamesService } from './ens-names.service.js';

export interface NamedUser {
  readonly username?: string | null | undefined;
  /** Null for a user who is not stored. */
  readonly platform: UserPlatform | null;
  readonly platformUserId: string | null;
}

/** What users are called where they did not say a name. */
@Injectable()
export class UserNamesService {
  constructor(private readonly ens: EnsNamesService) {}

  /** The username, else the ENS name. @param requester see EnsNamesService.find */
  async findUsername(user: NamedUser, requester: string): Promise<string | undefined> {
    if (typeof user.username === 'string') return user.username;
    const { platform, platformUserId } = user;
    return platform === 'ethereum' && platformUserId ? this.ens.find(platformUserId, requester) : undefined;
  }

  /** The username, else the ENS name, else the shortened address. Undefined for users of platforms without wallets. */
  async findPreferredUsername(user: NamedUser, requester: string): Promise<string | undefined> {
    const username = await this.findUsername(user, requester);
    if (username !== undefined) return username;
    const { platform, platformUserId } = user;
    const account = platform && platformUserId ? findIdentityAccount(platform, platformUserId) : undefined;
    return account && shortenAccount(account);
  }
}
