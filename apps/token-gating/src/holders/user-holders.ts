import { notFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Asker } from '../check-roles/asker.js';
import { IdentityClient } from '../identity/identity-client.js';
import type { Holders } from './holders.js';
import { holdersOf } from './holders-of.js';

/** The holders that a user id of the platform stands for. */
@Injectable()
export class UserHolders {
  constructor(private readonly identity: IdentityClient) {}

  /**
   * @throws AppError 404 for a user id that nobody knows, or that is not for the asker to have checked: they look the same;
   * 503 `identity_unavailable`
   */
  async load(userId: string, asker: Asker): Promise<Holders> {
    const { wallets } = await this.identity.walletsOfAccount({ userId, asker });
    if (!wallets) throw notFound('account_not_found', 'There is no such account.');
    return holdersOf(wallets);
  }
}
