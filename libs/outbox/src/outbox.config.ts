import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const outboxConfigSchema = z.object({
  /** How often an instance looks for jobs that others left in the outbox. */
  OUTBOX_POLL_MS: envInteger(10, MINUTE).default(SECOND),
  /**
   * How long a job that an instance cannot send waits for one that can: while a new version is rolled out, instances of
   * both share the outbox. Then it is set aside.
   */
  OUTBOX_PATIENCE_MS: envInteger(0, 24 * 60 * MINUTE).default(15 * MINUTE),
});

export class OutboxConfig extends createConfigClass(outboxConfigSchema) {}
