import { z } from 'zod';
import { knownScopes } from './scopes.js';

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
const requestLimits = z.object({ perSecond: z.int().positive(), perMonth: z.int().positive() });
export type RequestLimits = Readonly<z.infer<typeof requestLimits>>;

/** POST /internal/client-plans of identity: the tenants, limits and scopes of client applications. */
export const clientPlansRequest = z.object({
  clientIds: z.array(z.string().max(128)).min(1).max(500),
});
export type ClientPlansRequest = z.infer<typeof clientPlansRequest>;

export const clientPlan = z.object({
  clientId: z.string(),
  /** The tenant, whose requests the limits count. */
  ownerId: z.string(),
  /** The user whose tenant it is; null for a tenant of an operator. The release before names none. */
  ownerUserId: z.string().nullish(),
  plan: planName,
  limits: requestLimits,
  /** Current scopes, including approved ones. */
  scopes: knownScopes,
});
export type ClientPlan = Readonly<z.infer<typeof clientPlan>>;

/** Omits unknown client applications. `asOf` is the same as in CredentialResponse. */
export const clientPlansResponse = z.object({ asOf: z.int().nonnegative(), plans: z.array(clientPlan) });
export type ClientPlansResponse = Readonly<z.infer<typeof clientPlansResponse>>;

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

/** POST /internal/plan-usage of the gateway: counts requests that it did not authenticate, one client id per request. */
export const planUsageRequest = z.object({ clientIds: z.array(z.string().max(128)).min(1).max(500) });
export type PlanUsageRequest = z.infer<typeof planUsageRequest>;

/** Only admitted requests are counted. */
const planUsageOutcome = z.enum(['counted', 'month_used_up', 'unknown_client']);
export type PlanUsageOutcome = z.infer<typeof planUsageOutcome>;

/** Outcomes in the order of the requests. */
export const planUsageResponse = z.object({ outcomes: z.array(planUsageOutcome) });
export type PlanUsageResponse = Readonly<z.infer<typeof planUsageResponse>>;

/** POST /internal/user-plans of identity: the tenants and limits of users, for what they do in the portal. */
export const userPlansRequest = z.object({
  userIds: z.array(z.string().min(1).max(128)).min(1).max(500),
});
export type UserPlansRequest = z.infer<typeof userPlansRequest>;

const userPlan = z.object({
  userId: z.string(),
  /** The id of a user who has no client application yet stands for the tenant. */
  tenantId: z.string(),
  limits: requestLimits,
});
export type UserPlan = Readonly<z.infer<typeof userPlan>>;

/** Plans in the order of the users. */
export const userPlansResponse = z.object({ plans: z.array(userPlan) });
export type UserPlansResponse = Readonly<z.infer<typeof userPlansResponse>>;

/** What counts as several requests at once: a try of rules on many addresses. */
const MAX_COUNTED_TOGETHER = 100;

/** POST /internal/user-usage of the gateway: counts what users do in the portal on their tenants. */
export const userUsageRequest = z.object({
  requests: z
    .array(
      z.object({
        userId: z.string().min(1).max(128),
        /** How much of the month it counts as. In the second it is one request. */
        count: z.int().min(1).max(MAX_COUNTED_TOGETHER),
      }),
    )
    .min(1)
    .max(500),
});
export type UserUsageRequest = z.infer<typeof userUsageRequest>;

/** Only admitted requests are counted. A refused one may be made again after this many seconds. */
const userUsageOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('counted') }),
  z.object({
    outcome: z.enum(['second_used_up', 'month_used_up']),
    limit: z.int().positive(),
    retryAfter: z.int().positive(),
  }),
]);
export type UserUsageOutcome = Readonly<z.infer<typeof userUsageOutcome>>;

/** Outcomes in the order of the requests. */
export const userUsageResponse = z.object({ outcomes: z.array(userUsageOutcome) });
export type UserUsageResponse = Readonly<z.infer<typeof userUsageResponse>>;
