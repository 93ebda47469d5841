import { createConfigClass } from '@app/config';
import { z } from 'zod';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The SDK adds the query, and the relay compares the address with the audience of the SDK's token. */
function isRelayUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  return origin === text && (protocol === 'wss:' || LOOPBACK.has(hostname));
}

export const walletConnectConfigSchema = z.object({
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
    .optional()
    .meta({
      description:
        "The project of this deployment at WalletConnect's relay. With it, pages offer the wallet of a phone, and browsers connect to the relay once a person chooses it ([guide](guides/signing-in.md#a-wallet-on-a-phone)).",
      format: '32 hexadecimal digits',
    }),
  WALLETCONNECT_RELAY_URL: z
    .url({ protocol: /^wss?$/ })
    .refine(isRelayUrl, 'must be a wss origin without a path')
    .default('wss://relay.walletconnect.org')
    .meta({
      description: 'The relay between pages and the wallets of phones.',
      format: 'wss origin without a path',
    }),
});

export class WalletConnectConfig extends createConfigClass(walletConnectConfigSchema) {}
