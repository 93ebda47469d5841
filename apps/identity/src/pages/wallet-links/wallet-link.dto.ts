import { z } from 'zod';

export const walletLinkParams = z.object({ requestId: z.string().min(1).max(64) });
export type WalletLinkParams = z.output<typeof walletLinkParams>;

export const pageSignature = z.strictObject({
  accountId: z.string().min(1).max(256),
  signature: z.string().min(1).max(8_192),
});
