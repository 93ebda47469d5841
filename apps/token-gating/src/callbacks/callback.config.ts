import { DAY_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { createConfigClass, envInteger, envSecret } from '@app/config';
import { z } from 'zod';
import { DEFAULT_ATTEMPT_DELAYS_MS } from './retry-schedule.js';

const schedule = z
  .string()
  .transform((text) => text.split(',').map(Number))
  .pipe(z.array(z.int().positive()))
  .meta({ format: 'milliseconds, comma separated' });

const callbackConfigSchema = z.object({
  CHECK_RETENTION_MS: envInteger(1_000, 30 * DAY_MS)
    .default(DAY_MS)
    .describe(
      'How long results and their callbacks are kept, from the result and from the last delivery attempt.',
    ),
  CALLBACK_RETRY_AFTER_MS: schedule
    .default(DEFAULT_ATTEMPT_DELAYS_MS)
    .describe('Delays between the delivery attempts of a callback, each ±20 %.'),
  // At most the number of connections per origin.
  CALLBACK_CONCURRENCY_PER_RECEIVER: envInteger(1, 16)
    .default(8)
    .describe(
      'Callbacks in flight to one receiver, per instance, so that a slow receiver does not delay the others.',
    ),
  ROLE_CALLBACKS_PER_MINUTE: envInteger(1, 1_000_000)
    .default(6_000)
    .describe(
      'Role callbacks of one tenant in a minute, a tenth of them at once. Those beyond wait, for an hour at most.',
    ),
  OPERATION_CALLBACKS_PER_MINUTE: envInteger(1, 1_000_000)
    .default(6_000)
    .describe(
      'Callbacks of a tenant about its operations in a minute, a tenth of them at once. Those beyond wait, for an hour at most.',
    ),
  ENDPOINT_CALLBACKS_PER_MINUTE: envInteger(1, 1_000_000)
    .default(6_000)
    .describe(
      'Deliveries of events to the callback endpoints of a tenant in a minute, a tenth of them at once. Those beyond wait, for an hour at most.',
    ),
  CALLBACK_POLL_MS: envInteger(10, MINUTE_MS)
    .default(SECOND_MS)
    .describe(
      'How often an instance looks for callbacks that became due in another instance, and for retries.',
    ),
});

export class CallbackConfig extends createConfigClass(callbackConfigSchema) {}

const YEAR = 366 * DAY_MS;

export const callbackKeyConfigSchema = z.object({
  CALLBACK_KEY_SECRET: envSecret.describe(
    'Encrypts the keys of callbacks and asset claims in the database, so that a copy of the database is not enough to sign. With another secret new keys are made.',
  ),
  CALLBACK_KEY_LIFETIME_MS: envInteger(1_000, YEAR)
    .default(90 * DAY_MS)
    .describe('How long a key signs callbacks before the next one replaces it.'),
  CALLBACK_KEY_PUBLISH_AHEAD_MS: envInteger(0, YEAR)
    .default(DAY_MS)
    .describe('How long a key is published before it signs, because receivers cache the key set.'),
  CALLBACK_KEY_OVERLAP_MS: envInteger(1, YEAR)
    .default(DAY_MS)
    .describe('How long a key signs together with its successor.'),
});

export class CallbackKeyConfig extends createConfigClass(callbackKeyConfigSchema) {}
