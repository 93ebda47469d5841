import { createConfigClass, envJson, serviceConfigSchema } from '@app/config';
import { z } from 'zod';
import { publicUrlsConfigSchema } from '../../common/public-urls.config.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const isOnThisMachine = (url: string): boolean => LOOPBACK.has(new URL(url).hostname);

const rpcUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => URL.canParse(url) && isOnThisMachine(url), 'must be a node on this machine');

const testWallet = z.strictObject({
  rpcUrl,
  chainId: z.int().positive(),
  /** Addresses by display name. */
  accounts: z.record(z.string().regex(/^[a-z]{1,16}$/), z.string().regex(/^0x[0-9a-fA-F]{40}$/)),
});

export const testWalletConfigSchema = publicUrlsConfigSchema
  .extend({
    NODE_ENV: serviceConfigSchema.shape.NODE_ENV,
    /** An unlocked local node and its accounts, which the login page offers to every user. Local profile only. */
    TEST_WALLET: envJson(testWallet),
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
