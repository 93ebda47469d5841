import { notFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Requester } from './requester.js';
import { IdentityClient } from '../clients/identity-client.js';
import type { SubjectAddresses } from './subject-addresses.js';
import { toSubjectAddresses } from './to-subject-addresses.js';

/** The holders that a user id of the platform stands for. */
@Injectable()
export class UserAddressesService {
  constructor(private readonly identity: IdentityClient) {}

  /**
   * @throws AppError 404 for a user id that nobody knows, or that is not for the asker to have checked: they look the same;
   * 503 `identity_unavailable`
   */
  async load(userId: string, asker: Requester): Promise<SubjectAddresses> {
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker });
    if (!wallets) throw notFound('account_not_found', 'There is no such account.');
    return toSubjectAddresses(wallets);
  }
}
