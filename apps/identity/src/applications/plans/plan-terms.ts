import { PLAN_LIMITS, type PlanName, type RequestLimits } from '@app/dto';

/** A tenant's request limits: those of its plan, or of its record on an enterprise plan. */
export function toRequestLimits(
  plan: PlanName,
  perSecond: number | null,
  perMonth: number | null,
): RequestLimits {
  if (plan !== 'enterprise')
    return { perSecond: PLAN_LIMITS[plan].perSecond, perMonth: PLAN_LIMITS[plan].perMonth };
  // A check constraint of the table guarantees both on an enterprise plan.
  if (perSecond === null || perMonth === null) throw new Error('An enterprise plan without limits');
  return { perSecond, perMonth };
}

/** How many client applications and live API keys a tenant may have; null for no limit. */
export interface OwnershipLimits {
  maxClientApplications: number | null;
  maxApiKeys: number | null;
}

/** A tenant's limits of ownership: those of its plan, or of its record on an enterprise plan. */
export const toOwnershipLimits = ({
  plan,
  maxClientApplications,
  maxApiKeys,
}: OwnershipLimits & { plan: PlanName }): OwnershipLimits =>
  plan === 'enterprise'
    ? { maxClientApplications, maxApiKeys }
    : { maxClientApplications: PLAN_LIMITS[plan].clients, maxApiKeys: PLAN_LIMITS[plan].keys };

/** Larger numbers do not fit into the tenant's record. */
export const MAX_OWNERSHIP_LIMIT = 2_147_483_647;

/** A plan, with individual limits on an enterprise plan only. Absent limits of ownership are no limits. */
export type PlanTerms =
  | { plan: 'free' | 'paid'; perSecond: null; perMonth: null }
  | ({ plan: 'enterprise'; perSecond: number; perMonth: number } & Partial<OwnershipLimits>);
