import type { Account } from '@app/dto';
import { type SubjectAddresses, createNamedAddress, createSingleAddress } from './subject-addresses.js';
import type { UserAddressesService } from './user-addresses.service.js';
import type { Requester } from './requester.js';

/**
 * The addresses whose holdings a check counts. Returns a promise only for user ids, which need a request to identity.
 * @throws AppError 404 for a user id that is unknown or that the requester may not have checked; 503
 */
export function loadSubjectAddresses(
  account: Account,
  requester: Requester,
  users: Pick<UserAddressesService, 'load'>,
): SubjectAddresses | Promise<SubjectAddresses> {
  switch (account.family) {
    case 'evm': {
      const { address, chainId } = account;
      return chainId === undefined
        ? createSingleAddress('evm', address)
        : createNamedAddress({ address, chainId });
    }
    case 'solana':
      return createSingleAddress(account.family, account.address);
    case 'user':
      return users.load(account.id, requester);
  }
}
