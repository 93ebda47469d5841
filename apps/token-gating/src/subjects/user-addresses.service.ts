import { notFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Requester } from './requester.js';
import { IdentityClient } from '../clients/identity-client.js';
import type { SubjectAddresses } from './subject-addresses.js';
import { toSubjectAddresses } from './to-subject-addresses.js';

/** Loads the addresses of a user of the platform. */
@Injectable()
export class UserAddressesService {
  constructor(private readonly identity: IdentityClient) {}

  /**
   * @throws AppError 404 for a user id that is unknown or that the requester may not have checked; 503 `identity_unavailable`
   */
  async load(userId: string, requester: Requester): Promise<SubjectAddresses> {
    const { wallets } = await this.identity.fetchAccountWallets({ userId, asker: requester });
    if (!wallets) throw notFound('account_not_found', 'There is no such account.');
    return toSubjectAddresses(wallets);
  }
}
