import { DAY_MS, MINUTE_MS } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const asyncCheckConfigSchema = z.object({
  CHECK_REREAD_FOR_MS: envInteger(0, DAY_MS)
    .default(10 * MINUTE_MS)
    .describe('How long an asynchronous check retries failed reads before it finishes without them.'),
  CHECK_REREAD_AFTER_MS: envInteger(10, MINUTE_MS)
    .default(1_000)
    .describe('Delay before the first retry of failed reads; it doubles up to half a minute.'),
});

export class AsyncCheckConfig extends createConfigClass(asyncCheckConfigSchema) {}
