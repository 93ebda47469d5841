import type { FoundPlan } from '../../operators/plan-lookup.js';
import type { FormFields } from './application-form.js';
import { type ListedApplication, listed } from './application-view.js';

/** The form as it is shown: the text of each field, and what is wrong with it. */
export interface PlanFormView {
  plan: string;
  perSecond: string;
  perMonth: string;
  problems: Record<string, string>;
}

export interface PlanView {
  id: string;
  name: string;
  /** Whose own plan it is; null for one that an operator made. */
  userId: string | null;
  applications: ListedApplication[];
  form: PlanFormView;
}

export const planView = (
  { holder, applications }: FoundPlan,
  again?: { fields: FormFields; problems: Record<string, string> },
): PlanView => ({
  id: holder.id,
  name: holder.name,
  userId: holder.userId,
  applications: applications.map(listed),
  form: again
    ? {
        plan: again.fields['plan'] ?? holder.plan,
        perSecond: again.fields['perSecond'] ?? '',
        perMonth: again.fields['perMonth'] ?? '',
        problems: again.problems,
      }
    : {
        plan: holder.plan,
        perSecond: String(holder.perSecond ?? ''),
        perMonth: String(holder.perMonth ?? ''),
        problems: {},
      },
});
