import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
/** Nonces live for a day: with shorter lives of keys there would be too many of them. */
const MIN_KEY_LIFETIME_MS = 4 * HOUR_MS;
const YEAR_MS = 366 * 24 * HOUR_MS;

const DAY_SECONDS = 86_400;

export const tokenKeyConfigSchema = z.object({
  /** Lifetime of access, id and AE tokens (contract.md section 4). Revocations and signing keys are kept for as long. */
  ACCESS_TOKEN_LIFETIME_SECONDS: envInteger(60, DAY_SECONDS).default(3_600),
  /** The keys in the database are sealed under this one: who has the database alone can make no token. */
  TOKEN_KEY_SECRET: envSecret,
  /** How long a key makes tokens before the next one takes over. */
  TOKEN_KEY_LIFETIME_MS: envInteger(MIN_KEY_LIFETIME_MS, YEAR_MS).default(90 * 24 * HOUR_MS),
  /** How long a key is known to everybody before it makes a token. */
  TOKEN_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR_MS).default(24 * HOUR_MS),
});

export class TokenKeyConfig extends createConfigClass(tokenKeyConfigSchema) {}
