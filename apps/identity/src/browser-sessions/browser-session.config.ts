import { DAY_MS, HOUR_MS } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const MONTH_MS = 31 * DAY_MS;

const browserSessionConfigSchema = z.object({
  BROWSER_SESSION_IDLE_MS: envInteger(1_000, MONTH_MS)
    .default(2 * HOUR_MS)
    .describe('Idle timeout: a browser session without a request for this long expires.'),
  BROWSER_SESSION_LIFETIME_MS: envInteger(1_000, MONTH_MS)
    .default(DAY_MS)
    .describe('A browser session expires this long after the login, also while in use.'),
});

export class BrowserSessionConfig extends createConfigClass(browserSessionConfigSchema) {}
