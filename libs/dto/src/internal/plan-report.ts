import { z } from 'zod';

/** POST /internal/plan-reports of the gateway, for identity: usage and refusals of a tenant. */
export const planReportRequest = z.object({ ownerId: z.string().min(1).max(64) });
export type PlanReportRequest = z.infer<typeof planReportRequest>;

/** Refused requests of one hour, client application and error code. */
export const refusalCount = z.object({
  /** The start of the hour, ISO 8601. */
  hour: z.iso.datetime(),
  clientId: z.string(),
  /** The error's `details.code`: `second_limit_exceeded`, `month_limit_exceeded`, `scope_required`. */
  code: z.string(),
  count: z.int().positive(),
});
export type RefusalCount = Readonly<z.infer<typeof refusalCount>>;

export const planReport = z.object({
  /** Requests of the current UTC calendar month. */
  usedThisMonth: z.int().nonnegative(),
  /** Refusals of the last 24 hours, newest first. */
  refusals: z.array(refusalCount).max(10_000),
});
export type PlanReport = Readonly<z.infer<typeof planReport>>;
