import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const analyticsConfigSchema = z.object({
  ANALYTICS_RETENTION_DAYS: envInteger(1, 3_660)
    .default(400)
    .describe(
      'How long community events are kept, in whole months. Older ones that arrive are dropped. The numbers of reports are kept ' +
        'without expiry.',
    ),
});

export class AnalyticsConfig extends createConfigClass(analyticsConfigSchema) {}
