import { z } from 'zod';

/** spec.md section 8. `keys` counts live API keys, `clients` client applications, `members` those of one community. */
export const PLAN_LIMITS = {
  free: { perSecond: 10, perMonth: 10_000, clients: 5, keys: 5, members: 1_000 },
  paid: { perSecond: 15, perMonth: 1_000_000, clients: 500, keys: 500, members: 100_000 },
} as const;

/** Plans from least to most. The limits of an enterprise plan are in the tenant's record. */
export const planName = z.enum(['free', 'paid', 'enterprise']);
export type PlanName = z.infer<typeof planName>;

/** The free plan where there is none. */
export const findBestPlan = (plans: readonly PlanName[]): PlanName =>
  planName.options.findLast((plan) => plans.includes(plan)) ?? 'free';

/** Maximum requests of a tenant, over all its client applications and keys. */
export const requestLimits = z.object({ perSecond: z.int().positive(), perMonth: z.int().positive() });
export type RequestLimits = Readonly<z.infer<typeof requestLimits>>;
