/** A wallet's signature in the format of `POST /login/sessions`. */
export interface WalletSignature {
  signatureType: 'eip191' | 'ed25519';
  /** 0x-prefixed hex. */
  signature: string;
}

/** A wallet that can sign messages for this page. */
export interface Wallet {
  readonly name: string;
  /** The text of its button, where that is not its name. */
  label?: string;
  /** A data URI. */
  icon?: string;
  /** Lets the user select an account. @param wanted the CAIP-10 id that has to sign, where the page needs one @returns a CAIP-10 id */
  connect: (wanted?: string) => Promise<string>;
  /** Requests a signature from the user. Call `connect` first. */
  sign: (message: string) => Promise<WalletSignature>;
  /** What is said while `connect` waits for more than a request in an open wallet. */
  connectTexts?: WaitTexts;
  /** Ends what `connect` has begun. Called once nothing more is asked of the wallet, possibly more than once. */
  end?: () => Promise<void>;
}

/** Sentences about a wallet that does not answer. */
export interface WaitTexts {
  slow: string;
  timedOut: string;
}

/** The address of a CAIP-10 id. Wallets write EVM addresses with and without their checksum. */
export const toAddress = (accountId: string): string => {
  const address = accountId.slice(accountId.lastIndexOf(':') + 1);
  return address.startsWith('0x') ? address.toLowerCase() : address;
};

/** Called for every wallet that is found, possibly later. */
export type OnWalletFound = (wallet: Wallet) => void;

/** The wallet has no account that can sign in. */
export class NoAccountError extends Error {
  override readonly name = 'NoAccountError';

  constructor(wallet: string, chain: string) {
    super(`${wallet} has no account for ${chain}. Add or select one there and try again.`);
  }
}

/** The wallet has another account selected than the one that must sign. */
export class WrongAccountError extends Error {
  override readonly name = 'WrongAccountError';

  constructor(wallet: string, address: string) {
    super(`Select the account ${address} in ${wallet}, and try again.`);
  }
}

/** The wallet cannot be reached or used. The message says what the user can do. */
export class WalletUnavailableError extends Error {
  override readonly name = 'WalletUnavailableError';
}
