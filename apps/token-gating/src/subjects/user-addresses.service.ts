import { notFound } from '@app/common';
import type { Account } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../clients/identity-client.js';
import {
  createNamedAddress,
  createSingleAddress,
  type SubjectAddresses,
  toSubjectAddresses,
} from './subject-addresses.js';
import type { Principal } from '@app/auth';

/** The user or client application that requests a check. It may name user ids of its own users only (contract.md section 5). */
export type Requester = { readonly userId: string } | { readonly clientId: string };

/**
 * A user's token acts for the user alone, because its bearer must not get the rights of the client application that it was
 * issued to. Undefined for a principal without user and client application.
 */
export function toRequester(principal: Principal): Requester | undefined {
  if (principal.kind !== 'caller') return undefined;
  const { user, client } = principal;
  if (user) return { userId: user.id };
  return client && { clientId: client.id };
}

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
