import { planName } from '@app/dto';
import { z } from 'zod';
import { MAX_OWNERSHIP_LIMIT, type PlanTerms } from '../plans/plan-terms.js';
import { countFlag } from './flag-schemas.js';

const REQUEST_FLAGS = ['requests-per-second', 'requests-per-month'] as const;
const OWNERSHIP_FLAGS = ['max-client-applications', 'max-api-keys'] as const;
const LIMIT_FLAGS = [...REQUEST_FLAGS, ...OWNERSHIP_FLAGS] as const;

export const PLAN_FLAGS = ['plan', ...LIMIT_FLAGS];

/** The limits of an enterprise plan on the command line. */
export const PLAN_USAGE =
  '[--requests-per-second <n> --requests-per-month <n> [--max-client-applications <n>] [--max-api-keys <n>]]';

const ownershipFlag = countFlag.refine(
  (count) => count <= MAX_OWNERSHIP_LIMIT,
  `must be at most ${MAX_OWNERSHIP_LIMIT}`,
);

/** The flags of a tenant's plan. */
export const planFlags = {
  plan: planName,
  'requests-per-second': countFlag.optional(),
  'requests-per-month': countFlag.optional(),
  'max-client-applications': ownershipFlag.optional(),
  'max-api-keys': ownershipFlag.optional(),
};

type PlanFlags = z.output<z.ZodObject<typeof planFlags>>;

/** An enterprise plan requires the limits of requests and may have others; the other plans forbid all. @returns undefined after addIssue */
export function parsePlanTerms(
  flags: PlanFlags,
  addIssue: (flag: string, message: string) => void,
): PlanTerms | undefined {
  const { plan, 'requests-per-second': perSecond, 'requests-per-month': perMonth } = flags;
  if (plan === 'enterprise') {
    const ownership = {
      maxClientApplications: flags['max-client-applications'] ?? null,
      maxApiKeys: flags['max-api-keys'] ?? null,
    };
    if (perSecond !== undefined && perMonth !== undefined) return { plan, perSecond, perMonth, ...ownership };
    for (const flag of REQUEST_FLAGS)
      if (flags[flag] === undefined) addIssue(flag, 'is needed for an enterprise plan');
    return undefined;
  }
  const given = LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined);
  for (const flag of given) addIssue(flag, `is for an enterprise plan; the ${plan} plan has its own limits`);
  return given.length > 0 ? undefined : { plan, perSecond: null, perMonth: null };
}
