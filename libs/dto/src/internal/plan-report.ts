import { z } from 'zod';

/** POST /internal/plan-reports of the gateway, for identity: what was counted of a plan holder's requests. */
export const planReportRequest = z.strictObject({ ownerId: z.string().min(1).max(64) });
export type PlanReportRequest = z.infer<typeof planReportRequest>;

/** Requests that were refused in one hour, for one reason. */
export const refusalCount = z.object({
  /** When the hour began, ISO 8601. */
  hour: z.iso.datetime(),
  clientId: z.string(),
  /** The error's `details.code`: `second_limit_exceeded`, `month_limit_exceeded`, `scope_required`. */
  code: z.string(),
  count: z.int().positive(),
});
export type RefusalCount = Readonly<z.infer<typeof refusalCount>>;

export const planReport = z.object({
  /** Requests of the current calendar month in UTC. */
  usedThisMonth: z.int().nonnegative(),
  /** Of the last 24 hours, newest first. */
  refusals: z.array(refusalCount).max(10_000),
});
export type PlanReport = Readonly<z.infer<typeof planReport>>;
