import { DAY_SECONDS, MINUTE_SECONDS } from '@app/common';
import { createConfigClass, publicUrlsConfigSchema } from '@app/config';
import { z } from 'zod';
import { callbackKeyConfigSchema } from '../callbacks/callback.config.js';

const verifiableCredentialConfigSchema = z.object({
  ...publicUrlsConfigSchema.pick({ PUBLIC_URL: true }).shape,
  ...callbackKeyConfigSchema.pick({ CALLBACK_KEY_SECRET: true }).shape,
});

export class VerifiableCredentialConfig extends createConfigClass(verifiableCredentialConfigSchema) {}

/** How often a status list is published, which is also its `ttl`: a verifier may keep it for as long. */
export const STATUS_LIST_PERIOD_SECONDS = 5 * MINUTE_SECONDS;
export const STATUS_LIST_LIFETIME_SECONDS = DAY_SECONDS;
