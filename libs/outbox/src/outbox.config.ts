import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const outboxConfigSchema = z.object({
  OUTBOX_POLL_MS: envInteger(10, MINUTE)
    .default(SECOND)
    .describe(
      'How often an instance looks for outbox rows that another instance committed and did not enqueue.',
    ),
  OUTBOX_PATIENCE_MS: envInteger(0, 24 * 60 * MINUTE)
    .default(15 * MINUTE)
    .describe(
      'How long an outbox row that one instance cannot send waits for an instance that can, as two versions share the outbox during a rollout. After this time it is set aside as a dead letter.',
    ),
});

export class OutboxConfig extends createConfigClass(outboxConfigSchema) {}
