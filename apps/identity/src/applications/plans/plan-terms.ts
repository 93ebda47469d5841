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

/** A plan, with individual limits on an enterprise plan only. */
export type PlanTerms =
  | { plan: 'free' | 'paid'; perSecond: null; perMonth: null }
  | { plan: 'enterprise'; perSecond: number; perMonth: number };
