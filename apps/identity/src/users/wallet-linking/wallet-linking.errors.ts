import { conflict } from '@app/common';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import { invalidField } from '../../common/request.errors.js';
import type { LinkAccount } from './parse-link-account.js';

export const invalidAddress = (message: string) => invalidField('input_invalid', 'address', message);

export const invalidChain = (message: string) => invalidField('input_invalid', 'chainId', message);

/** Unknown, used up, changed or another user's: they look the same. */
export const challengeNotFound = () =>
  invalidField('challenge_invalid', 'message', 'is none that you were given, or used up: ask for a new one');

export const challengeExpired = () =>
  invalidField('challenge_invalid', 'message', 'has expired: ask for a new one');

/** Where nobody said on which chain an EVM account is, its contract was not asked. */
export const invalidSignature = (account: LinkAccount) =>
  invalidField(
    'wrong_signature',
    'signedMessage',
    'is no signature of the message by this address, and the message is used up' +
      (account.family === 'evm' && account.chainId === undefined ? '; a contract account needs chainId' : ''),
  );

export const chainNotSupported = () =>
  invalidField(
    'contract_wallet_not_supported',
    'chainId',
    'is a chain that this service has no nodes of: only a plain key can be linked there',
  );

export const walletLimitExceeded = () =>
  conflict('wallet_limit_exceeded', `A user has ${MAX_WALLETS_PER_USER} wallets at most: remove one first.`);
