import { DAY_MS } from '@app/common';
import { createConfigClass, envInteger, publicUrlsConfigSchema } from '@app/config';
import { z } from 'zod';
import { callbackKeyConfigSchema } from '../../callbacks/callback.config.js';

const assetClaimConfigSchema = z.object({
  ...publicUrlsConfigSchema.pick({ PUBLIC_URL: true }).shape,
  ...callbackKeyConfigSchema.pick({ CALLBACK_KEY_SECRET: true }).shape,
  ASSET_CLAIM_LIFETIME_MS: envInteger(1_000, 366 * DAY_MS)
    .default(30 * DAY_MS)
    .describe('Lifetime of asset verification tokens. Retired keys of such tokens are kept for as long.'),
});

export class AssetClaimConfig extends createConfigClass(assetClaimConfigSchema) {}
