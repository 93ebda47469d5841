import { conflict } from '@app/common';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import { invalidField } from '../../common/request.errors.js';

export const invalidAddress = (message: string) => invalidField('input_invalid', 'address', message);

export const invalidChain = (message: string) => invalidField('input_invalid', 'chainId', message);

export const invalidSignatureType = () =>
  invalidField(
    'input_invalid',
    'signatureType',
    'must be ed25519 for a Solana account, and for no other one; it may be left out',
  );

/** The same error for unknown, used, altered and another user's messages, so that it reveals nothing. */
export const challengeNotFound = () =>
  invalidField(
    'challenge_invalid',
    'message',
    'is not a message issued to you, or was used already: request a new one',
  );

export const challengeExpired = () =>
  invalidField('challenge_invalid', 'message', 'has expired: request a new one');

/** A message that names a wallet links no other one. */
export const challengeAccountMismatch = () =>
  invalidField(
    'challenge_invalid',
    'message',
    'names another address or chain than the request: request a new one with the CAIP-10 id of the wallet',
  );

/** Mentions chainId when it is missing: without it contract wallets are not checked. */
export const invalidSignature = (account: { family: string; chainId?: number }, field: string) =>
  invalidField(
    'signature_invalid',
    field,
    'is not a signature of the message by this address; the message is used up' +
      (account.family === 'evm' && account.chainId === undefined ? '; a contract wallet needs chainId' : ''),
  );

export const chainNotSupported = () =>
  invalidField(
    'contract_wallet_not_supported',
    'chainId',
    'is a chain without configured nodes: only an externally owned account can be linked there',
  );

export const walletLimitExceeded = () =>
  conflict(
    'wallet_limit_exceeded',
    `A user can have at most ${MAX_WALLETS_PER_USER} wallets: remove one first.`,
  );
