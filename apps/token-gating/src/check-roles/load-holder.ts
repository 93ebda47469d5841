import { notFound } from '@app/common';
import type { Account, EvmAddress } from '@app/dto';

/**
 * The address that EVM rules are read for; undefined for an account of another chain family, to which they grant
 * nothing (contract.md section 5).
 * @throws AppError 404 for a user id: no user is known, and an unknown one must look the same.
 */
export function loadHolder(account: Account): EvmAddress | undefined {
  switch (account.family) {
    case 'evm':
      return account.address;
    case 'solana':
      return undefined;
    case 'user':
      throw notFound('account_not_found', 'There is no such account.');
  }
}
