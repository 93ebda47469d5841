import { PLAN_LIMITS, type PlanName, type RequestLimits } from '@app/dto';

/** What a plan holder may ask for: a plan's own limits, or those of the record. */
export function limitsOf(plan: PlanName, perSecond: number | null, perMonth: number | null): RequestLimits {
  if (plan !== 'enterprise')
    return { perSecond: PLAN_LIMITS[plan].perSecond, perMonth: PLAN_LIMITS[plan].perMonth };
  // The table's own checks see to it that an enterprise plan has both.
  if (perSecond === null || perMonth === null) throw new Error('An enterprise plan without limits');
  return { perSecond, perMonth };
}
