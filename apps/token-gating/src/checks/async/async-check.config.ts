import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const asyncCheckConfigSchema = z.object({
  CHECK_REREAD_FOR_MS: envInteger(0, DAY)
    .default(10 * MINUTE)
    .describe('How long an asynchronous check retries failed reads before it finishes without them.'),
  CHECK_REREAD_AFTER_MS: envInteger(10, MINUTE)
    .default(1_000)
    .describe('Delay before the first retry of failed reads; it doubles up to half a minute.'),
});

export class AsyncCheckConfig extends createConfigClass(asyncCheckConfigSchema) {}
