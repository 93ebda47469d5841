import { z } from 'zod';
import type { PlanTerms } from '../../applications/plans/plan-terms.js';
import type { FormFields } from '../portal/application-form.js';

const count = z
  .string({ error: 'An enterprise plan needs it.' })
  .trim()
  .regex(/^[1-9]\d{0,14}$/, 'This must be a whole number of at least 1, in digits alone.')
  .transform(Number);

/** What is agreed upon stands in an enterprise plan alone: the other fields of the form mean nothing then. */
const planFields = z.discriminatedUnion(
  'plan',
  [
    z.object({ plan: z.enum(['free', 'paid']) }),
    z.object({ plan: z.literal('enterprise'), perSecond: count, perMonth: count }),
  ],
  { error: 'Choose a plan.' },
);

export type PlanFormResult =
  | { ok: true; terms: PlanTerms }
  /** What is wrong, by field. */
  | { ok: false; problems: Record<string, string> };

export function parsePlanForm(fields: FormFields): PlanFormResult {
  const read = planFields.safeParse(fields);
  if (!read.success)
    return {
      ok: false,
      problems: Object.fromEntries(
        read.error.issues.map(({ path: [field], message }) => [String(field), message]),
      ),
    };
  const { data } = read;
  return {
    ok: true,
    terms: data.plan === 'enterprise' ? data : { ...data, perSecond: null, perMonth: null },
  };
}
