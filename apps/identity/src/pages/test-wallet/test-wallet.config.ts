import { createConfigClass, envJson, publicUrlsConfigSchema, serviceConfigSchema } from '@app/config';
import { z } from 'zod';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const isOnThisMachine = (url: string): boolean => LOOPBACK.has(new URL(url).hostname);

const rpcUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.canParse(url) && isOnThisMachine(url), 'must be a node on this machine');

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const testWallet = z.strictObject({
  rpcUrl,
  chainId: z.int().positive(),
  /** Addresses by display name. */
  accounts: z.record(z.string().regex(/^[a-z]{1,16}$/), address),
  /** ERC-721 tokens that the accounts can give to each other on a page. */
  badges: z
    .strictObject({ contractAddress: address, tokenIds: z.array(z.int().nonnegative()).max(20) })
    .optional(),
});

export const testWalletConfigSchema = publicUrlsConfigSchema
  .extend({
    NODE_ENV: serviceConfigSchema.shape.NODE_ENV,
    TEST_WALLET: envJson(testWallet).meta({
      description:
        'An unlocked local node and its accounts by display name, which the login page offers to every user. Refused outside of a local profile.',
      format: 'JSON: `{ "rpcUrl", "chainId", "accounts", "badges" }`',
      // Required here, but the module is loaded only when the variable is set.
      fallback: 'none',
    }),
  })
  .refine(
    ({ NODE_ENV, PUBLIC_URL, AUTH_URL = PUBLIC_URL }) =>
      NODE_ENV !== 'production' && isOnThisMachine(PUBLIC_URL) && isOnThisMachine(AUTH_URL),
    {
      path: ['TEST_WALLET'],
      message:
        'lets anyone sign in: it is refused with NODE_ENV=production (the default) and with a PUBLIC_URL or AUTH_URL that is not localhost, 127.0.0.1 or [::1]',
    },
  );

export class TestWalletConfig extends createConfigClass(testWalletConfigSchema) {}
