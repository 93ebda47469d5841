import { configClass, envInteger } from '@app/config';
import { z } from 'zod';

const SECRET_BYTES = 32;
const HOUR = 3_600_000;
const YEAR = 366 * 24 * HOUR;

const secret = z
  .base64url()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length === SECRET_BYTES, `must be ${SECRET_BYTES} bytes`);

export const tokenKeyConfigSchema = z.object({
  /** The keys in the database are sealed under this one: who has the database alone can make no token. */
  TOKEN_KEY_SECRET: secret,
  /** How long a key makes tokens before the next one takes over. */
  TOKEN_KEY_LIFETIME_MS: envInteger(1_000, YEAR).default(90 * 24 * HOUR),
  /** How long a key is known to everybody before it makes a token. */
  TOKEN_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR).default(24 * HOUR),
});

export class TokenKeyConfig extends configClass(tokenKeyConfigSchema) {}
