/** A wallet's signature in the format of `POST /login/sessions`. */
export interface WalletSignature {
  signatureType: 'eip191' | 'ed25519';
  /** 0x-prefixed hex. */
  signature: string;
}

/** A wallet that can sign messages for this page. */
export interface Wallet {
  name: string;
  /** A data URI. */
  icon?: string;
  /** Lets the user select an account. @returns a CAIP-10 id */
  connect: () => Promise<string>;
  /** Requests a signature from the user. Call `connect` first. */
  sign: (message: string) => Promise<WalletSignature>;
}

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
