import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
const MONTH_MS = 31 * 24 * HOUR_MS;

export const browserSessionConfigSchema = z.object({
  /** A browser that asked for no page for so long is signed out. */
  BROWSER_SESSION_IDLE_MS: envInteger(1_000, MONTH_MS).default(2 * HOUR_MS),
  /** After so long a browser is signed out of the pages, whatever it does. */
  BROWSER_SESSION_LIFETIME_MS: envInteger(1_000, MONTH_MS).default(24 * HOUR_MS),
});

export class BrowserSessionConfig extends createConfigClass(browserSessionConfigSchema) {}
