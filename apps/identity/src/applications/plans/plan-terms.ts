import { PLAN_LIMITS, type PlanName, type RequestLimits } from '@app/dto';

/** What a plan holder may ask for: a plan's own limits, or those of the record. */
export function toRequestLimits(
  plan: PlanName,
  perSecond: number | null,
  perMonth: number | null,
): RequestLimits {
  if (plan !== 'enterprise')
    return { perSecond: PLAN_LIMITS[plan].perSecond, perMonth: PLAN_LIMITS[plan].perMonth };
  // The table's own checks see to it that an enterprise plan has both.
  if (perSecond === null || perMonth === null) throw new Error('An enterprise plan without limits');
  return { perSecond, perMonth };
}

/** A plan, and its limits where they are agreed upon: an enterprise plan has its own, the others have none. */
export type PlanTerms =
  | { plan: 'free' | 'paid'; perSecond: null; perMonth: null }
  | { plan: 'enterprise'; perSecond: number; perMonth: number };
