import { z } from 'zod';

/** spec.md section 8. `keys` counts live API keys, `clients` client applications. */
export const PLAN_LIMITS = {
  free: { perSecond: 10, perMonth: 10_000, clients: 5, keys: 5 },
  paid: { perSecond: 15, perMonth: 1_000_000, clients: 500, keys: 500 },
} as const;

/** An enterprise plan has its limits on the plan holder's record. */
export const planName = z.enum(['free', 'paid', 'enterprise']);
export type PlanName = z.infer<typeof planName>;

/** Requests that a plan holder may make, over all its client applications and keys. */
export const requestLimits = z.object({ perSecond: z.int().positive(), perMonth: z.int().positive() });
export type RequestLimits = Readonly<z.infer<typeof requestLimits>>;
