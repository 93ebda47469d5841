import { z } from 'zod';

/**
 * POST /internal/plan-usage of the gateway: requests that came in by another door than its own. One entry per request:
 * the client application that it counts on.
 */
export const planUsageRequest = z.strictObject({ clientIds: z.array(z.string().max(128)).min(1).max(500) });
export type PlanUsageRequest = z.infer<typeof planUsageRequest>;

/** Counted means admitted: what a used-up month refuses leaves no trace in it. */
export const planUsageOutcome = z.enum(['counted', 'month_used_up', 'unknown_client']);
export type PlanUsageOutcome = z.infer<typeof planUsageOutcome>;

/** One per request, in order. */
export const planUsageResponse = z.object({ outcomes: z.array(planUsageOutcome) });
export type PlanUsageResponse = Readonly<z.infer<typeof planUsageResponse>>;
