import { z } from 'zod';
import { queryText } from '../query-parameters.js';

const id = z.string().min(1).max(128);

/**
 * POST /internal/analytics-access of token-gating: whether a user, or a client application that acts for itself, may read the
 * analytics of a community. One of both is given.
 */
export const analyticsAccessRequest = z.object({
  communityId: id,
  userId: id.optional(),
  clientId: id.optional(),
  /** Whether `readsWallets` is asked for. */
  withWallets: z.boolean().optional(),
});
export type AnalyticsAccessRequest = z.infer<typeof analyticsAccessRequest>;

const role = z.object({ id: z.string(), name: z.string(), color: z.int().optional() });

export const analyticsAccessResponse = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('granted'),
    /** Absent from token-gating of the release before. */
    name: z.string().optional(),
    /** Roles in the order in which they were created. */
    roles: z.array(role),
    /** Whether the reader is a client application that is approved for `user:wallet:read`. */
    readsWallets: z.boolean().default(false),
  }),
  z.object({ outcome: z.enum(['community_not_found', 'administrator_required', 'client_not_attached']) }),
]);
export type AnalyticsAccessResponse = z.infer<typeof analyticsAccessResponse>;
export type RefusedAnalyticsAccess = Exclude<AnalyticsAccessResponse, { outcome: 'granted' }>['outcome'];

/** The reports on a community, by the last segment of their public paths. */
export const analyticsReportName = z.enum([
  'role-distribution',
  'roles-added',
  'user-interactions',
  'wallet-connections',
]);
export type AnalyticsReportName = z.output<typeof analyticsReportName>;

const analyticsReportFormat = z.enum(['json', 'csv']);
export type AnalyticsReportFormat = z.output<typeof analyticsReportFormat>;

/** Ranges of reports that have a name. `all` begins at the first event; the others end now. */
export const REPORT_RANGES = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
export type ReportRange = (typeof REPORT_RANGES)[number];
export const DEFAULT_REPORT_RANGE: ReportRange = '30d';

const periodText = queryText.max(64).optional();

/** The period of a report, as the public operations take it. Analytics parses the texts. */
export const analyticsReportPeriod = z.object({
  range: periodText,
  interval: periodText,
  timeZone: periodText,
});
export type AnalyticsReportPeriod = z.output<typeof analyticsReportPeriod>;

/** POST /internal/reports of analytics: a report for a user who is signed in to the portal, with all roles. */
export const analyticsReportRequest = z.strictObject({
  communityId: id,
  userId: id,
  report: analyticsReportName,
  format: analyticsReportFormat,
  ...analyticsReportPeriod.shape,
});
export type AnalyticsReportRequest = z.output<typeof analyticsReportRequest>;

/** Why there is no report: the code of the error that the public operation responds with. */
export const analyticsReportRefusal = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('input_invalid'),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ outcome: z.enum(['community_not_found', 'administrator_required']) }),
]);
export type AnalyticsReportRefusal = z.output<typeof analyticsReportRefusal>;

export const analyticsReportResponse = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('loaded'),
    /** The body that the public operation responds with. */
    text: z.string(),
    /** The header `X-Data-Until` of the response. */
    dataUntil: z.string().optional(),
  }),
  analyticsReportRefusal,
]);
export type AnalyticsReportResponse = z.output<typeof analyticsReportResponse>;
