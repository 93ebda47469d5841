import { z } from 'zod';
import { MAX_OWNERSHIP_LIMIT, type PlanTerms } from '../../applications/plans/plan-terms.js';
import type { FormFields } from '../portal/application-form.js';

const count = z
  .string({ error: 'This is required for an enterprise plan.' })
  .trim()
  .regex(/^[1-9]\d{0,14}$/, 'This must be a whole number of at least 1, written in digits only.')
  .transform(Number);

/** The limit of one owner; empty for no limit. */
const ownershipLimit = z
  .string()
  .trim()
  .regex(
    /^(?:[1-9]\d{0,14})?$/,
    'This must be a whole number of at least 1, written in digits only, or empty for no limit.',
  )
  .transform((text) => (text === '' ? null : Number(text)))
  .refine(
    (limit) => limit === null || limit <= MAX_OWNERSHIP_LIMIT,
    `This must be at most ${MAX_OWNERSHIP_LIMIT}.`,
  )
  .default(null);

/** Only enterprise plans have limits of their own. For other plans the limit fields are ignored. */
const planFields = z.discriminatedUnion(
  'plan',
  [
    z.object({ plan: z.enum(['free', 'paid']) }),
    z.object({
      plan: z.literal('enterprise'),
      perSecond: count,
      perMonth: count,
      maxClientApplications: ownershipLimit,
      maxApiKeys: ownershipLimit,
    }),
  ],
  { error: 'Select a plan.' },
);

export type PlanFormResult =
  | { ok: true; terms: PlanTerms }
  /** Validation errors by field. */
  | { ok: false; problems: Record<string, string> };

export function parsePlanForm(fields: FormFields): PlanFormResult {
  const parsed = planFields.safeParse(fields);
  if (!parsed.success)
    return {
      ok: false,
      problems: Object.fromEntries(
        parsed.error.issues.map(({ path: [field], message }) => [String(field), message]),
      ),
    };
  const { data } = parsed;
  return {
    ok: true,
    terms: data.plan === 'enterprise' ? data : { ...data, perSecond: null, perMonth: null },
  };
}
