import { z } from 'zod';

export const communityParams = z.object({ communityId: z.string().min(1).max(128) });

/** How far back to look. Its grammar is settled when the operations are built. */
export const rangeQuery = z.object({ range: z.string().max(64).optional() });

/** spec.md 2.8: one role of the community, as a chart shows it. */
export const analyticsFilters = z.array(
  z
    .strictObject({ color: z.number(), id: z.string(), name: z.string() })
    .meta({ id: 'AnalyticsFilter', description: 'A role as a chart shows it.' }),
);

/** One row of a chart (spec.md 4.2: an array of objects). */
export const analyticsRow = z
  .looseObject({})
  .meta({ id: 'AnalyticsRow', description: 'One row of a chart.' });
