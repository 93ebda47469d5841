import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';

const HOUR = 3_600_000;
const YEAR = 366 * 24 * HOUR;

export const callbackKeyConfigSchema = z.object({
  /** Encrypts the private keys in the database, so that a copy of the database is not enough to sign. */
  CALLBACK_KEY_SECRET: envSecret,
  /** How long a key signs before the next one takes over. */
  CALLBACK_KEY_LIFETIME_MS: envInteger(1_000, YEAR).default(90 * 24 * HOUR),
  /** How long a key is published before it signs, because receivers cache the key set. */
  CALLBACK_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR).default(24 * HOUR),
  /** How long the old key still signs beside the new one. */
  CALLBACK_KEY_OVERLAP_MS: envInteger(1, YEAR).default(24 * HOUR),
});

export class CallbackKeyConfig extends createConfigClass(callbackKeyConfigSchema) {}
