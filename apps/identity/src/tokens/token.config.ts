import { DAY_MS, DAY_SECONDS, HOUR_MS, HOUR_SECONDS } from '@app/common';
import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';

/** Nonces are valid for a day, so that a shorter key lifetime would keep too many keys. */
const MIN_KEY_LIFETIME_MS = 4 * HOUR_MS;
const YEAR_MS = 366 * DAY_MS;

const tokenConfigSchema = z.object({
  ACCESS_TOKEN_LIFETIME_SECONDS: envInteger(60, DAY_SECONDS)
    .default(HOUR_SECONDS)
    .describe(
      'Lifetime of access, id and AE tokens (contract.md section 4). Revocations and retired signing keys are kept for as long.',
    ),
  TOKEN_KEY_SECRET: envSecret.describe(
    'Encrypts the token signing keys in the database, so that a copy of the database alone cannot issue tokens. With another secret new keys are made, and earlier tokens are refused.',
  ),
  TOKEN_KEY_LIFETIME_MS: envInteger(MIN_KEY_LIFETIME_MS, YEAR_MS)
    .default(90 * DAY_MS)
    .describe('How long a key signs tokens before the next one replaces it.'),
  TOKEN_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR_MS)
    .default(DAY_MS)
    .describe('How long a key is published before it signs.'),
});

export class TokenConfig extends createConfigClass(tokenConfigSchema) {}
