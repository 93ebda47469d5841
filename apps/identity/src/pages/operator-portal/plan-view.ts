import type { TenantPlan } from '../../operators/operator-plans.service.js';
import type { FormFields } from '../portal/application-form.js';
import { toListedApplication } from '../portal/application-view.js';
import type { PlanView } from '../views/page-views.js';

/** @param resubmitted the form with validation errors to show again */
export const toPlanView = (
  { tenant, applications }: TenantPlan,
  resubmitted?: { fields: FormFields; problems: Record<string, string> },
): PlanView => ({
  id: tenant.id,
  name: tenant.name,
  userId: tenant.userId,
  applications: applications.map(toListedApplication),
  form: resubmitted
    ? {
        plan: resubmitted.fields['plan'] ?? tenant.plan,
        perSecond: resubmitted.fields['perSecond'] ?? '',
        perMonth: resubmitted.fields['perMonth'] ?? '',
        maxClientApplications: resubmitted.fields['maxClientApplications'] ?? '',
        maxApiKeys: resubmitted.fields['maxApiKeys'] ?? '',
        problems: resubmitted.problems,
      }
    : {
        plan: tenant.plan,
        perSecond: String(tenant.perSecond ?? ''),
        perMonth: String(tenant.perMonth ?? ''),
        maxClientApplications: String(tenant.maxClientApplications ?? ''),
        maxApiKeys: String(tenant.maxApiKeys ?? ''),
        problems: {},
      },
});
