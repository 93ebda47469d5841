import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const communityParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
});

/** Time range of a report. Its grammar is defined with the implementation. */
export const rangeQuery = z.object({ range: z.string().max(64).optional().meta({ example: '7d' }) });

/** A role of the community in a chart (spec.md 2.8). */
export const analyticsFilters = z
  .array(
    z
      .strictObject({ color: z.number(), id: z.string(), name: z.string() })
      .meta({ id: 'AnalyticsFilter', description: 'A role as a chart shows it.' }),
  )
  .meta({ example: [{ color: 0x2563eb, id: 'whale', name: 'Whale' }] });

/** One row of a chart (spec.md 4.2: an array of objects). */
export const analyticsRow = z
  .looseObject({})
  .meta({ id: 'AnalyticsRow', description: 'One row of a chart.' });
