import type { Wallet } from '../../users/wallets/wallet.js';
import type { CheckRequester } from '../../wallet-signatures/budget-key.queries.js';
import type { SignInAccount } from '../messages/sign-in-account.js';

/** A challenge's message with what came back for it. */
export interface SignedChallenge {
  readonly requester: CheckRequester;
  readonly message: string;
  readonly signature: string;
  /** Whom the answer names, if anybody. */
  readonly account: SignInAccount | undefined;
}

/** Who signed, and what stood in the message. */
export interface VerifiedWallet {
  readonly wallet: Wallet;
  readonly resources: readonly string[];
}
