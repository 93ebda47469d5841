import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** contract.md section 6: after the first attempt, which comes at once. */
const RETRY_AFTER_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

const schedule = z
  .string()
  .transform((text) => text.split(',').map(Number))
  .pipe(z.array(z.int().positive()));

export const callbackConfigSchema = z.object({
  /** How long results and their callbacks are kept, from the result and from the last delivery attempt. */
  CHECK_RETENTION_MS: envInteger(1_000, 30 * DAY).default(DAY),
  /** Milliseconds between the attempts to deliver a callback, comma separated; each ±20 %. */
  CALLBACK_RETRY_AFTER_MS: schedule.default(RETRY_AFTER_MS),
  /**
   * Callbacks that one instance sends to one receiver at once, so that a slow one takes up only that much; no more than
   * there are connections to it.
   */
  CALLBACK_CONCURRENCY_PER_RECEIVER: envInteger(1, 16).default(8),
  /** How often an instance looks for callbacks that came due elsewhere or by their schedule. */
  CALLBACK_POLL_MS: envInteger(10, MINUTE).default(SECOND),
});

export class CallbackConfig extends createConfigClass(callbackConfigSchema) {}
