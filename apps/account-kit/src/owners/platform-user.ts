import { z } from 'zod';

/** A token of a bot or a user at a platform. It is neither stored nor logged. */
export interface PlatformToken {
  readonly platform: Platform;
  readonly token: string;
}

export interface PlatformTokenRequest extends PlatformToken {
  /** The client application that presents the token. */
  readonly clientId: string;
}

/** Platforms whose users have smart accounts (spec.md 4.3). */
export const platform = z.enum(['chat', 'microblog', 'codehost']);
export type Platform = z.infer<typeof platform>;

export interface PlatformUser {
  readonly platform: Platform;
  /** Canonical decimal text (`isPlatformUserId`). */
  readonly userId: string;
}
