import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** Rows that a step takes at once. */
export const MAX_SWEEP_ROWS = 1_000;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const asyncCheckConfigSchema = z.object({
  /** How long a result is kept, after it is there and after the last attempt to deliver it. */
  CHECK_RETENTION_MS: envInteger(1_000, 30 * DAY).default(DAY),
  /** How long nodes that do not answer are asked again before the check answers without them. */
  CHECK_REREAD_FOR_MS: envInteger(0, DAY).default(10 * MINUTE),
  /** The first wait before a node is asked again; each further one is twice as long, up to half a minute. */
  CHECK_REREAD_AFTER_MS: envInteger(10, MINUTE).default(1_000),
  /** How often rows are looked for whose job was lost. */
  SWEEP_INTERVAL_MS: envInteger(50, MINUTE).default(5_000),
  /** A row is taken for lost when its job has not finished it this long after it was due. */
  SWEEP_AFTER_MS: envInteger(50, 10 * MINUTE).default(15_000),
});

export class AsyncCheckConfig extends createConfigClass(asyncCheckConfigSchema) {}
