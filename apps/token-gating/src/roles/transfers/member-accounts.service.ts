import { queryRows } from '@app/database';
import type { RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MemberWallets } from '../evaluation/load-member-wallets.js';
import { AccountHasher } from './account-hasher.js';
import { WatchedChainsConfig } from './transfer-watcher.config.js';

/** The members of an evaluation with the wallets that it read. */
interface CheckedMembers {
  readonly communityId: string;
  readonly rules: readonly RoleRule[];
  readonly members: readonly MemberWallets[];
  /** Users whose result was not stored: a later evaluation knows their wallets better, or they have left. */
  readonly except: readonly string[];
}

const REPLACE_ACCOUNTS = `
  WITH wanted AS (
    SELECT * FROM unnest($3::text[], $4::bytea[]) AS account (user_id, account_hash)
  ), gone AS (
    DELETE FROM token_gating.member_accounts a WHERE community_id = $1 AND user_id = ANY($2::text[])
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.user_id = a.user_id AND w.account_hash = a.account_hash)
  )
  INSERT INTO token_gating.member_accounts (community_id, user_id, account_hash)
  SELECT $1, user_id, account_hash FROM wanted ORDER BY user_id ON CONFLICT DO NOTHING`;

/**
 * Keeps the accounts of members by which the transfer watcher finds them. Each linked and unlinked wallet has the member checked, and so do
 * joins and changes of rules: the evaluation that is stored last has read the wallets last, and its wallets are the ones that are known.
 */
@Injectable()
export class MemberAccountsService {
  constructor(
    private readonly hasher: AccountHasher,
    private readonly chains: WatchedChainsConfig,
  ) {}

  /** Runs in the transaction that stores the roles, which has locked the members. Does nothing for rules that follow no transfers. */
  async store(
    manager: EntityManager,
    { communityId, rules, members, except }: CheckedMembers,
  ): Promise<void> {
    if (!this.chains.followsAny(rules)) return;
    const excluded = new Set(except);
    const stored = members.flatMap(({ userId, wallets }) =>
      excluded.has(userId) || 'code' in wallets ? [] : [{ userId, hashes: this.hasher.hashWallets(wallets) }],
    );
    const accounts = stored.flatMap(({ userId, hashes }) => hashes.map((hash) => ({ userId, hash })));
    await queryRows(manager, REPLACE_ACCOUNTS, [
      communityId,
      stored.map(({ userId }) => userId),
      accounts.map(({ userId }) => userId),
      accounts.map(({ hash }) => hash),
    ]);
  }
}
