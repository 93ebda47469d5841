import { isIdentityUnavailable } from '../clients/identity-client.js';

/** Whose wallets count is not known just now. In form like the failure of a read. */
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

/** For what became of a question to identity. Rethrows whatever is not that identity cannot be asked. */
export function toWalletLookupFailure(error: unknown): WalletLookupFailure {
  if (isIdentityUnavailable(error)) return WALLETS_UNAVAILABLE;
  throw error;
}
