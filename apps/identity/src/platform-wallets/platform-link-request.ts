import { z } from 'zod';

/** What a platform user is asked to sign, as it is stored and shown on the page. */
export const platformLinkRequest = z.object({
  requestId: z.string(),
  message: z.string(),
  removalMessage: z.string(),
  clientId: z.string(),
  application: z.string(),
  community: z.string(),
  platform: z.string(),
  platformUserId: z.string(),
  userName: z.string().optional(),
});
export type PlatformLinkRequest = Readonly<z.output<typeof platformLinkRequest>>;
