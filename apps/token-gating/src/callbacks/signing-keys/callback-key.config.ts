import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';

const HOUR = 3_600_000;
const YEAR = 366 * 24 * HOUR;

export const callbackKeyConfigSchema = z.object({
  /** The private keys in the database are sealed under this one: who has the database alone can sign nothing. */
  CALLBACK_KEY_SECRET: envSecret,
  /** How long a key signs before the next one takes over. */
  CALLBACK_KEY_LIFETIME_MS: envInteger(1_000, YEAR).default(90 * 24 * HOUR),
  /** How long a key is published before it signs: receivers keep copies of the key set. */
  CALLBACK_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR).default(24 * HOUR),
  /** How long the old key signs beside the new one. */
  CALLBACK_KEY_OVERLAP_MS: envInteger(1, YEAR).default(24 * HOUR),
});

export class CallbackKeyConfig extends createConfigClass(callbackKeyConfigSchema) {}
