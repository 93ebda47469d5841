import type { Queryable } from '@app/database';
import type { RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { MemberAccounts } from '../../communities/members/community-members.queries.js';
import type { MemberWallets } from '../evaluation/load-member-wallets.js';
import { AccountHasher } from './account-hasher.js';
import { endChecks, type EndedChecks } from './transfer-checks.queries.js';
import { WatchedChainsConfig } from './transfer-watcher.config.js';

/**
 * Finds the accounts by which the transfer watcher finds members. Each linked and unlinked wallet has the member checked, and so do
 * joins and changes of rules: the evaluation that began last has read the wallets last. An earlier one that is stored after it changes nothing, and
 * takes no account away where the later one has determined no role.
 */
@Injectable()
export class MemberAccountsService {
  constructor(
    private readonly hasher: AccountHasher,
    private readonly chains: WatchedChainsConfig,
  ) {}

  /** @returns undefined for rules that follow no transfers, and where wallets could not be read: what is known stays */
  hash(rules: readonly RoleRule[], members: readonly MemberWallets[]): MemberAccounts | undefined {
    if (!this.chains.followsAny(rules)) return undefined;
    const accounts: { readonly userId: string; readonly hash: Buffer }[] = [];
    for (const { userId, wallets } of members) {
      if ('code' in wallets) return undefined;
      for (const hash of this.hasher.hashWallets(wallets)) accounts.push({ userId, hash });
    }
    return { userIds: accounts.map(({ userId }) => userId), hashes: accounts.map(({ hash }) => hash) };
  }

  /** Lets the members be checked for later logs. Does nothing for rules that follow no transfers. */
  async endChecks(db: Queryable, rules: readonly RoleRule[], ended: EndedChecks): Promise<void> {
    if (this.chains.followsAny(rules)) await endChecks(db, ended);
  }
}
