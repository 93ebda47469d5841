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
  /** How long after a requested check of a community the next one may be requested. */
  BALANCE_CHECK_COOLDOWN_MS: envInteger(0, DAY).default(MINUTE),
  /** By the best plan of a community's client applications: how often its members are looked at again. */
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
  /** How long a finished check can be looked up. */
  BALANCE_CHECK_RETENTION_MS: envInteger(SECOND, 365 * DAY).default(30 * DAY),
  /** Reads of the chains that members of one page need together, at most, where a single member does not need more. */
  BALANCE_CHECK_PAGE_READS: envInteger(1, 20_000).default(5_000),
  /** How often nodes that do not answer are asked again before the members of a page count as failed. */
  BALANCE_CHECK_RETRIES: envInteger(0, 100).default(6),
  /** The first pause before that; each further one is twice as long, up to a minute. */
  BALANCE_CHECK_RETRY_AFTER_MS: envInteger(10, MINUTE).default(2 * SECOND),
});

export class BalanceCheckConfig extends createConfigClass(balanceCheckConfigSchema) {}
