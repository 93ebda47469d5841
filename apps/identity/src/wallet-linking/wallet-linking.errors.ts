import { conflict } from '@app/common';
import { MOST_WALLETS } from '@app/dto';
import { badField } from '../bad-field.js';
import type { LinkAccount } from './read-link-account.js';

export const badAddress = (message: string) => badField('invalid_input', 'address', message);

export const badChain = (message: string) => badField('invalid_input', 'chainId', message);

/** Unknown, used up, changed or another user's: they look the same. */
export const challengeUnknown = () =>
  badField('challenge_unknown', 'message', 'is none that you were given, or used up: ask for a new one');

export const challengeExpired = () =>
  badField('challenge_expired', 'message', 'has expired: ask for a new one');

/** Where nobody said on which chain an EVM account is, its contract was not asked. */
export const wrongSignature = (account: LinkAccount) =>
  badField(
    'wrong_signature',
    'signedMessage',
    'is no signature of the message by this address, and the message is used up' +
      (account.family === 'evm' && account.chainId === undefined ? '; a contract account needs chainId' : ''),
  );

export const noNodesOfChain = () =>
  badField(
    'no_nodes_of_chain',
    'chainId',
    'is a chain that this service has no nodes of: only a plain key can be linked there',
  );

export const tooManyWallets = () =>
  conflict('too_many_wallets', `A user has ${MOST_WALLETS} wallets at most: remove one first.`);
