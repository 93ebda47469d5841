import { RequestFailedError } from './post-json.js';
import { NoAccountError } from './wallet.js';

/** EIP-1193 and EIP-1474. */
const WALLET_CODES: Record<string, string> = {
  '4001': 'You declined in your wallet. Nothing was signed.',
  '4100': 'Your wallet does not allow this page to use this account.',
  '4900': 'Your wallet is not connected to its network.',
  '-32002': 'Your wallet already shows a request. Answer it there and try again.',
};

/** Describes an error for the user. */
export function describeError(error: unknown): string {
  if (error instanceof RequestFailedError || error instanceof NoAccountError) return error.message;
  if (typeof error === 'object' && error !== null) {
    const known = 'code' in error ? WALLET_CODES[String(error.code)] : undefined;
    if (known !== undefined) return known;
    // The Wallet Standard has no error codes, so this matches the messages of wallets.
    if ('message' in error && /reject|declin|denied|cancel/i.test(String(error.message)))
      return 'You declined in your wallet. Nothing was signed.';
  }
  return 'The wallet could not sign. Check that it is unlocked and try again.';
}
