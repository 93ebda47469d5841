import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const outboxConfigSchema = z.object({
  OUTBOX_POLL_MS: envInteger(10, MINUTE_MS)
    .default(SECOND_MS)
    .describe(
      'How often an instance looks for outbox rows that another instance committed and did not enqueue.',
    ),
  OUTBOX_UNSENDABLE_TIMEOUT_MS: envInteger(0, 24 * HOUR_MS)
    .default(15 * MINUTE_MS)
    .meta({
      description:
        'How long an outbox row that one instance cannot send waits for an instance that can, as two versions share the outbox during a rollout. After this time it is a dead letter.',
      formerName: 'OUTBOX_PATIENCE_MS',
    }),
});

export class OutboxConfig extends createConfigClass(outboxConfigSchema) {}
