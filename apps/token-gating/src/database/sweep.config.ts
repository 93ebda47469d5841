import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** Maximum rows that one statement of a sweep step takes. */
export const MAX_SWEEP_ROWS = 1_000;

const MINUTE = 60_000;

export const sweepConfigSchema = z.object({
  /** Interval at which sweepers look for rows whose job was lost. */
  SWEEP_INTERVAL_MS: envInteger(50, MINUTE).default(5_000),
  /** A job counts as lost when it has not finished its row this long after the row was due. */
  SWEEP_AFTER_MS: envInteger(50, 10 * MINUTE).default(15_000),
});

export class SweepConfig extends createConfigClass(sweepConfigSchema) {}
