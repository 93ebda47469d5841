import { createConfigClass, envInteger, envJson } from '@app/config';
import { planName } from '@app/dto';
import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const interval = z
  .int()
  .min(SECOND)
  .max(365 * DAY);

export const balanceCheckConfigSchema = z.object({
  /** Cooldown between two requested checks of a community, in milliseconds. */
  BALANCE_CHECK_COOLDOWN_MS: envInteger(0, DAY).default(MINUTE),
  /** Milliseconds between scheduled checks of a community, by the best plan of its client applications. */
  BALANCE_CHECK_INTERVALS_MS: envJson(
    z.strictObject({
      [planName.enum.free]: interval,
      [planName.enum.paid]: interval,
      [planName.enum.enterprise]: interval,
    }),
  ).default({
    free: DAY,
    paid: 6 * HOUR,
    enterprise: HOUR,
  }),
  /** How long finished checks are kept, in milliseconds. */
  BALANCE_CHECK_RETENTION_MS: envInteger(SECOND, 365 * DAY).default(30 * DAY),
  /** Maximum of chain reads per page of members; exceeded only where one member needs more. */
  BALANCE_CHECK_PAGE_READS: envInteger(1, 20_000).default(5_000),
  /** Retries of a page whose nodes do not answer, before its undetermined members count as failed. */
  BALANCE_CHECK_RETRIES: envInteger(0, 100).default(6),
  /** Delay of the first retry in milliseconds; doubles with each retry, up to a minute. */
  BALANCE_CHECK_RETRY_AFTER_MS: envInteger(10, MINUTE).default(2 * SECOND),
});

export class BalanceCheckConfig extends createConfigClass(balanceCheckConfigSchema) {}
