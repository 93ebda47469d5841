import type { Platform } from './platform-user.js';

/** A token of a bot or a user at a platform. It is neither stored nor logged. */
export interface PlatformToken {
  readonly platform: Platform;
  readonly token: string;
}

export interface PlatformTokenRequest extends PlatformToken {
  /** The client application that presents the token. */
  readonly clientId: string;
}
