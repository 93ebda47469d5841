import { planName } from '@app/dto';
import { z } from 'zod';
import type { PlanTerms } from '../plans/plan-terms.js';
import { countFlag } from './flag-schemas.js';

export const PLAN_FLAGS = ['plan', 'requests-per-second', 'requests-per-month'];

/** The flags of a tenant's plan. */
export const planFlags = {
  plan: planName,
  'requests-per-second': countFlag.optional(),
  'requests-per-month': countFlag.optional(),
};

type PlanFlags = z.output<z.ZodObject<typeof planFlags>>;

const LIMIT_FLAGS = ['requests-per-second', 'requests-per-month'] as const;

/** An enterprise plan requires the limit flags; the other plans forbid them. @returns undefined after addIssue */
export function parsePlanTerms(
  flags: PlanFlags,
  addIssue: (flag: string, message: string) => void,
): PlanTerms | undefined {
  const { plan, 'requests-per-second': perSecond, 'requests-per-month': perMonth } = flags;
  if (plan === 'enterprise') {
    if (perSecond !== undefined && perMonth !== undefined) return { plan, perSecond, perMonth };
    for (const flag of LIMIT_FLAGS)
      if (flags[flag] === undefined) addIssue(flag, 'is needed for an enterprise plan');
    return undefined;
  }
  const given = LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined);
  for (const flag of given) addIssue(flag, `is for an enterprise plan; the ${plan} plan has its own limits`);
  return given.length > 0 ? undefined : { plan, perSecond: null, perMonth: null };
}
