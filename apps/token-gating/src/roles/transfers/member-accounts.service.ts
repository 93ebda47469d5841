import type { RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { MemberAccounts } from '../../communities/members/community-members.queries.js';
import type { MemberWallets } from '../evaluation/load-member-wallets.js';
import { AccountHasher } from './account-hasher.js';
import { WatchedChainsConfig } from './transfer-watcher.config.js';

/**
 * Finds the accounts by which the transfer watcher finds members. Each linked and unlinked wallet has the member checked, and so do
 * joins and changes of rules: the evaluation that is stored last has read the wallets last, and its wallets are the ones that are known.
 */
@Injectable()
export class MemberAccountsService {
  constructor(
    private readonly hasher: AccountHasher,
    private readonly chains: WatchedChainsConfig,
  ) {}

  /** @returns undefined for rules that follow no transfers */
  hash(rules: readonly RoleRule[], members: readonly MemberWallets[]): MemberAccounts | undefined {
    if (!this.chains.followsAny(rules)) return undefined;
    const accounts = members.flatMap(({ userId, wallets }) =>
      'code' in wallets ? [] : this.hasher.hashWallets(wallets).map((hash) => ({ userId, hash })),
    );
    return { userIds: accounts.map(({ userId }) => userId), hashes: accounts.map(({ hash }) => hash) };
  }
}
