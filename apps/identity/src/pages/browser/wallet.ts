/** What a wallet has signed, in the words of `POST /login/sessions`. */
export interface WalletSignature {
  signatureType: 'eip191' | 'ed25519';
  /** 0x and hex. */
  signature: string;
}

/** A wallet that this page can ask to sign. */
export interface Wallet {
  name: string;
  /** A data URI. */
  icon?: string;
  /** Asks the person which account it shall be. @returns a CAIP-10 id */
  connect: () => Promise<string>;
  /** Asks the person to sign. `connect` has been called. */
  sign: (message: string) => Promise<WalletSignature>;
}

/** Called for every wallet that is found, at once or later. */
export type OnWalletFound = (wallet: Wallet) => void;

/** The wallet is there, and shows nothing that could sign in. */
export class NoAccountError extends Error {
  override readonly name = 'NoAccountError';

  constructor(wallet: string, chain: string) {
    super(`${wallet} shows no account for ${chain}. Choose or add one there, then try again.`);
  }
}
