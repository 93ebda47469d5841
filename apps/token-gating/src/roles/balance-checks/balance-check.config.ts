import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { createConfigClass, envInteger, envJson } from '@app/config';
import { planName } from '@app/dto';
import { z } from 'zod';

const interval = z
  .int()
  .min(SECOND_MS)
  .max(365 * DAY_MS);

const balanceCheckConfigSchema = z.object({
  BALANCE_CHECK_COOLDOWN_MS: envInteger(0, DAY_MS)
    .default(MINUTE_MS)
    .describe('Minimum time between two requested balance checks of a community.'),
  BALANCE_CHECK_INTERVALS_MS: envJson(
    z.strictObject({
      [planName.enum.free]: interval,
      [planName.enum.paid]: interval,
      [planName.enum.enterprise]: interval,
    }),
  )
    .default({
      free: DAY_MS,
      paid: 6 * HOUR_MS,
      enterprise: HOUR_MS,
    })
    .meta({
      description:
        'Time between scheduled balance checks of a community, by the best plan of its client applications.',
      format: 'JSON: milliseconds by plan',
    }),
  BALANCE_CHECK_RETENTION_MS: envInteger(SECOND_MS, 365 * DAY_MS)
    .default(30 * DAY_MS)
    .describe('How long a finished balance check can be looked up.'),
  BALANCE_CHECK_PAGE_READS: envInteger(1, 20_000)
    .default(5_000)
    .describe(
      'Maximum of chain reads for members that are checked together; exceeded only where one member needs more.',
    ),
  BALANCE_CHECK_RETRIES: envInteger(0, 100)
    .default(6)
    .describe('Retries of failed reads of a balance check before members count as failed.'),
  BALANCE_CHECK_RETRY_AFTER_MS: envInteger(10, MINUTE_MS)
    .default(2 * SECOND_MS)
    .describe('Delay before the first of these retries; it doubles with each retry, up to a minute.'),
});

export class BalanceCheckConfig extends createConfigClass(balanceCheckConfigSchema) {}
