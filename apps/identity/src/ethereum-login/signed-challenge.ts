import type { Wallet } from '../users/wallet.js';
import type { CheckAsker } from './check-holders.js';
import type { SignInAccount } from './sign-in-account.js';

/** A challenge's message with what came back for it. */
export interface SignedChallenge {
  readonly asker: CheckAsker;
  readonly message: string;
  readonly signature: string;
  /** Whom the answer names, if anybody. */
  readonly account: SignInAccount | undefined;
}

/** Who signed, and what stood in the message. */
export interface SignedWallet {
  readonly wallet: Wallet;
  readonly resources: readonly string[];
}
