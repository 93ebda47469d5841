import { MINUTE_MS } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** Maximum rows that one statement of a sweep step takes. */
export const MAX_SWEEP_ROWS = 1_000;

const sweepConfigSchema = z.object({
  SWEEP_INTERVAL_MS: envInteger(50, MINUTE_MS)
    .default(5_000)
    .describe('How often sweepers look for accepted checks whose job was lost.'),
  SWEEP_AFTER_MS: envInteger(50, 10 * MINUTE_MS)
    .default(15_000)
    .describe('How overdue a check must be for its job to count as lost.'),
});

export class SweepConfig extends createConfigClass(sweepConfigSchema) {}
