import { analyticsReportName, analyticsReportPeriod, queryText } from '@app/dto';
import { z } from 'zod';

export const communityParams = z.object({ communityId: z.string().min(1).max(128) });
export type CommunityParams = z.output<typeof communityParams>;

export const reportParams = communityParams.extend({ report: analyticsReportName });
export type ReportParams = z.output<typeof reportParams>;

export const reportQuery = analyticsReportPeriod;
export type ReportQuery = z.output<typeof reportQuery>;

/** Forms submit empty fields, too. */
const optionalText = queryText
  .max(64)
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** The fields of the form on the page of a community. `from` and `to` are days of the time zone, both included. */
export const periodQuery = z.object({
  range: optionalText,
  interval: optionalText,
  timeZone: optionalText,
  from: optionalText,
  to: optionalText,
});
export type PeriodQuery = z.output<typeof periodQuery>;
