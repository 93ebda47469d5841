import type { Scope } from '@app/dto';

/** Who wants somebody to sign in, and where. */
export interface LoginRequester {
  /** A client application's id, or a name of our own that cannot be one. */
  readonly clientId: string;
  /** The host that the wallet shows. */
  readonly domain: string;
  readonly uri: string;
}

export interface CreateChallengeOptions {
  /** CAIP-10 or a plain address; then nobody else can sign. */
  readonly accountId?: string;
  readonly scopes?: readonly Scope[];
  /** What the user reads: one line of ASCII. */
  readonly statement?: string;
}

export interface CompleteLoginRequest {
  readonly requestId: string;
  readonly signatureType: 'eip191' | 'ed25519';
  readonly signature: string;
  /** CAIP-10 or a plain address: whose contract account signed, where the challenge named nobody. */
  readonly accountId?: string;
}

/** Who signed in, with what. */
export interface WalletLogin {
  readonly userId: string;
  /** CAIP-10. */
  readonly account: string;
  readonly scopes: readonly Scope[];
}
