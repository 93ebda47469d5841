import { z } from 'zod';

/** spec.md section 8. `keys` counts live API keys, `clients` client applications. */
export const PLAN_LIMITS = {
  free: { perSecond: 10, perMonth: 10_000, clients: 5, keys: 5 },
  paid: { perSecond: 15, perMonth: 1_000_000, clients: 500, keys: 500 },
} as const;

/** The limits of an enterprise plan are in the tenant's record. */
export const planName = z.enum(['free', 'paid', 'enterprise']);
export type PlanName = z.infer<typeof planName>;

/** Maximum requests of a tenant, over all its client applications and keys. */
export const requestLimits = z.object({ perSecond: z.int().positive(), perMonth: z.int().positive() });
export type RequestLimits = Readonly<z.infer<typeof requestLimits>>;
