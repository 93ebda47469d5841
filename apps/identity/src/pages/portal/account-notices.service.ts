import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { listPasskeys } from '../../passkeys/passkeys.queries.js';
import { findSharedWallets } from '../../users/wallets/wallet-connections.queries.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { toPasskeyView } from '../passkeys/passkeys.controller.js';
import { formatDay } from '../views/format-values.js';
import type { AccountNoticesView } from '../views/page-views.js';

/** What a user should look at, because somebody else may have a hand in the account. The first pages after a login show it. */
@Injectable()
export class AccountNoticesService {
  constructor(private readonly database: Database) {}

  async load(userId: string): Promise<AccountNoticesView> {
    const [sharedWallets, passkeys] = await Promise.all([
      findSharedWallets(this.database, userId),
      listPasskeys(this.database, userId),
    ]);
    return {
      passkeysToReview: passkeys.filter(({ isNew, isBlocked }) => isNew || isBlocked).map(toPasskeyView),
      sharedWallets: sharedWallets.map(({ id, accountId, since }) => ({
        id,
        accountId,
        account: shortenAccount(accountId),
        since: formatDay(since),
      })),
    };
  }
}
