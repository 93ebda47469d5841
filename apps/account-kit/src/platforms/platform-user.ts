import { z } from 'zod';

/** Platforms whose users have smart accounts (spec.md 4.3). */
export const platform = z.enum(['chat', 'microblog', 'codehost']);
export type Platform = z.infer<typeof platform>;

export interface PlatformUser {
  readonly platform: Platform;
  /** Canonical decimal text (`isPlatformUserId`). */
  readonly userId: string;
}
