import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const outboxConfigSchema = z.object({
  /** How often an instance polls the outbox for jobs of other instances, in milliseconds. */
  OUTBOX_POLL_MS: envInteger(10, MINUTE).default(SECOND),
  /**
   * How long a job that one instance cannot send waits for an instance that can, in milliseconds: during a rollout, two
   * versions share the outbox. After this time the job is set aside as a dead letter.
   */
  OUTBOX_PATIENCE_MS: envInteger(0, 24 * 60 * MINUTE).default(15 * MINUTE),
});

export class OutboxConfig extends createConfigClass(outboxConfigSchema) {}
