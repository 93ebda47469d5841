import { createSignInNonce, NONCE_PLACEHOLDER, type NonceBinding, type NonceKey } from '@app/auth';
import { formatSignInMessage, formatSolanaSignInMessage, SignInMessageError } from '@app/chain/sign-in';
import { DEFAULT_CHAIN_ID, ZERO_ADDRESS } from '../../wallet-signatures/evm-accounts.js';
import { DEFAULT_SOLANA_CHAIN } from '../../wallet-signatures/solana-chains.js';
import { invalidMessage } from '../ethereum-login.errors.js';
import type { SignInAccount } from './sign-in-account.js';

export interface SignInMessageFields {
  readonly purpose: NonceBinding['purpose'];
  readonly clientId: string;
  readonly domain: string;
  readonly uri: string;
  readonly statement: string;
  readonly resources: readonly string[];
  /** Undefined: any account may sign. */
  readonly account: SignInAccount | undefined;
  /** Unix milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Formats the message of EIP-4361 or Sign In With Solana. @throws AppError 400 for a field that it cannot contain */
export function createSignInMessage(fields: SignInMessageFields, key: NonceKey): string {
  try {
    return formatMessage(fields, key);
  } catch (error) {
    if (error instanceof SignInMessageError) throw invalidMessage(error);
    throw error;
  }
}

function formatMessage(fields: SignInMessageFields, key: NonceKey): string {
  const { purpose, clientId, domain, uri, statement, resources, account } = fields;
  const address = account?.address ?? ZERO_ADDRESS;
  const expirationTime = new Date(fields.expiresAt).toISOString();
  const issuedAt = new Date(fields.issuedAt).toISOString();
  const common = { domain, address, statement, uri, issuedAt, expirationTime, resources };
  const formatWithNonce = (nonce: string) =>
    account?.namespace === 'solana'
      ? formatSolanaSignInMessage({ ...common, nonce, chainId: account.chain ?? DEFAULT_SOLANA_CHAIN })
      : formatSignInMessage({ ...common, nonce, chainId: account?.chainId ?? DEFAULT_CHAIN_ID });
  const text = formatWithNonce(NONCE_PLACEHOLDER);
  return formatWithNonce(createSignInNonce({ purpose, clientId, text }, key));
}
