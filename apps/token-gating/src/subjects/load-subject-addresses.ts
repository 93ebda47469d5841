import type { Account } from '@app/dto';
import { type SubjectAddresses, NO_ADDRESSES, createSingleAddress } from './subject-addresses.js';
import type { UserAddressesService } from './user-addresses.service.js';
import type { Requester } from './requester.js';

/**
 * Whose holdings a check is about. A promise only where identity has to be asked: plain addresses do not wait for it.
 * @throws AppError 404 for a user id that is not the asker's to have checked, the same as for an unknown one; 503
 */
export function loadSubjectAddresses(
  account: Account,
  asker: Requester,
  users: Pick<UserAddressesService, 'load'>,
): SubjectAddresses | Promise<SubjectAddresses> {
  switch (account.family) {
    case 'evm':
      return createSingleAddress(account.address);
    case 'solana':
      return NO_ADDRESSES;
    case 'user':
      return users.load(account.id, asker);
  }
}
