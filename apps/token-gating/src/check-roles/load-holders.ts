import type { Account } from '@app/dto';
import { type Holders, NOBODY, oneAddress } from '../holders/holders.js';
import type { UserHolders } from '../holders/user-holders.js';
import type { Asker } from './asker.js';

/**
 * Whose holdings a check is about. A promise only where identity has to be asked: plain addresses do not wait for it.
 * @throws AppError 404 for a user id that is not the asker's to have checked, the same as for an unknown one; 503
 */
export function loadHolders(
  account: Account,
  asker: Asker,
  users: Pick<UserHolders, 'load'>,
): Holders | Promise<Holders> {
  switch (account.family) {
    case 'evm':
      return oneAddress(account.address);
    case 'solana':
      return NOBODY;
    case 'user':
      return users.load(account.id, asker);
  }
}
