import { z } from 'zod';

/** POST /internal/plan-usage of the gateway: counts requests that it did not authenticate, one client id per request. */
export const planUsageRequest = z.object({ clientIds: z.array(z.string().max(128)).min(1).max(500) });
export type PlanUsageRequest = z.infer<typeof planUsageRequest>;

/** Only admitted requests are counted. */
const planUsageOutcome = z.enum(['counted', 'month_used_up', 'unknown_client']);
export type PlanUsageOutcome = z.infer<typeof planUsageOutcome>;

/** Outcomes in the order of the requests. */
export const planUsageResponse = z.object({ outcomes: z.array(planUsageOutcome) });
export type PlanUsageResponse = Readonly<z.infer<typeof planUsageResponse>>;
