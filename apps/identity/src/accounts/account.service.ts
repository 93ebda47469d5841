import { type Principal, signedInUser } from '@app/auth';
import { notFound } from '@app/common';
import type { PageQuery } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { UserRecord } from '../users/user-record.js';
import { Users } from '../users/users.js';
import { WalletLinkingService } from '../wallet-linking/wallet-linking.service.js';
import { LinkedUsers } from '../wallets/linked-users.js';
import type { WalletConnectionPage } from '../wallets/wallet-connection.dto.js';
import { WalletList } from '../wallets/wallet-list.js';

/** What users see of themselves. Whom only a credential names is known from here on. */
@Injectable()
export class AccountService {
  constructor(
    private readonly users: Users,
    private readonly wallets: WalletList,
    private readonly linked: LinkedUsers,
    private readonly linking: WalletLinkingService,
  ) {}

  /** @throws AppError 404 for one that nobody knows and no wallet names */
  async profile(principal: Principal): Promise<UserRecord> {
    const record = await this.users.present(signedInUser(principal));
    if (!record) throw notFound('no_such_user', 'There is no such user.');
    return record;
  }

  /** One statement as long as there is something to show. */
  async walletsOf(principal: Principal, query: PageQuery): Promise<WalletConnectionPage> {
    const { id } = signedInUser(principal);
    const page = await this.wallets.page(id, principal, query);
    if (page.items.length > 0 || query.paginationToken !== undefined) return page;
    await this.profile(principal);
    return this.wallets.page(id, principal, query);
  }

  async linkedUsersOf(principal: Principal): Promise<{ items: string[] }> {
    const { id } = await this.profile(principal);
    return { items: await this.linked.of(id) };
  }

  async challengeFor(principal: Principal): Promise<{ message: string }> {
    const { id } = await this.profile(principal);
    return { message: await this.linking.challenge(id) };
  }
}
