import type { Scope } from '@app/dto';

/** The application that requests a login. */
export interface LoginRequester {
  /** A client application's id, or the reserved name of the login page. */
  readonly clientId: string;
  /** The host that the wallet displays. */
  readonly domain: string;
  readonly uri: string;
}

export interface CreateChallengeOptions {
  /** CAIP-10 or a plain address. If present, the signer must match. */
  readonly accountId?: string;
  readonly scopes?: readonly Scope[];
  /** One line of ASCII that the wallet displays. */
  readonly statement?: string;
}

export interface WalletLogin {
  readonly userId: string;
  /** CAIP-10. */
  readonly account: string;
  readonly scopes: readonly Scope[];
}
