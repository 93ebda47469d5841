import { DAY_MS } from '@app/common';
import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';

const YEAR = 366 * DAY_MS;

export const callbackKeyConfigSchema = z.object({
  CALLBACK_KEY_SECRET: envSecret.describe(
    'Encrypts the keys of callbacks and asset claims in the database, so that a copy of the database is not enough to sign. With another secret new keys are made.',
  ),
  CALLBACK_KEY_LIFETIME_MS: envInteger(1_000, YEAR)
    .default(90 * DAY_MS)
    .describe('How long a key signs callbacks before the next one replaces it.'),
  CALLBACK_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR)
    .default(DAY_MS)
    .describe('How long a key is published before it signs, because receivers cache the key set.'),
  CALLBACK_KEY_OVERLAP_MS: envInteger(1, YEAR)
    .default(DAY_MS)
    .describe('How long a key signs together with its successor.'),
});

export class CallbackKeyConfig extends createConfigClass(callbackKeyConfigSchema) {}
