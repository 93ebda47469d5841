import { configClass, envInteger } from '@app/config';
import { z } from 'zod';

const HOUR = 3_600_000;
const MONTH = 31 * 24 * HOUR;

export const sessionConfigSchema = z.object({
  /** A browser that asked for no page for so long is signed out. */
  BROWSER_SESSION_IDLE_MS: envInteger(1_000, MONTH).default(2 * HOUR),
  /** After so long a browser is signed out of the pages, whatever it does. */
  BROWSER_SESSION_LIFETIME_MS: envInteger(1_000, MONTH).default(24 * HOUR),
});

export class SessionConfig extends configClass(sessionConfigSchema) {}
