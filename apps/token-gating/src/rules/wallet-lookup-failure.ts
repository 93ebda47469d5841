import { isIdentityUnavailable } from '../clients/identity-client.js';

/** The wallets of a user are unknown because identity is unavailable. Same shape as ReadFailure. */
export interface WalletLookupFailure {
  readonly ok: false;
  readonly permanent: false;
  readonly code: 'wallets_unavailable';
  readonly message: string;
}

const WALLETS_UNAVAILABLE: WalletLookupFailure = Object.freeze({
  ok: false,
  permanent: false,
  code: 'wallets_unavailable',
  message: 'the wallets of the user could not be looked up',
});

/** Converts an error of the identity client. Rethrows every error but identity_unavailable. */
export function toWalletLookupFailure(error: unknown): WalletLookupFailure {
  if (isIdentityUnavailable(error)) return WALLETS_UNAVAILABLE;
  throw error;
}
