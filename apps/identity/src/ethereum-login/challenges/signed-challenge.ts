import type { Wallet } from '../../users/wallets/wallet.js';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import type { SignInAccount } from '../messages/sign-in-account.js';

/** A challenge's message with its signature. */
export interface SignedChallenge {
  readonly requester: CheckRequester;
  readonly message: string;
  readonly signature: string;
  /** The account that the login request names, if any. */
  readonly account: SignInAccount | undefined;
}

export interface VerifiedWallet {
  readonly wallet: Wallet;
  readonly resources: readonly string[];
}
