import type { TenantPlan } from '../../applications/operators/operator-plans.service.js';
import type { FormFields } from '../portal/application-form.js';
import { type ListedApplication, toListedApplication } from '../portal/application-view.js';

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

export const toPlanView = (
  { tenant, applications }: TenantPlan,
  again?: { fields: FormFields; problems: Record<string, string> },
): PlanView => ({
  id: tenant.id,
  name: tenant.name,
  userId: tenant.userId,
  applications: applications.map(toListedApplication),
  form: again
    ? {
        plan: again.fields['plan'] ?? tenant.plan,
        perSecond: again.fields['perSecond'] ?? '',
        perMonth: again.fields['perMonth'] ?? '',
        problems: again.problems,
      }
    : {
        plan: tenant.plan,
        perSecond: String(tenant.perSecond ?? ''),
        perMonth: String(tenant.perMonth ?? ''),
        problems: {},
      },
});
