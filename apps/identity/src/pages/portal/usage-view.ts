import type { PlanUsage } from '../../applications/plans/plan-usage.service.js';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { formatDay } from '../views/format-values.js';
import type { UsageMeter, UsageView } from '../views/page-views.js';

const HIGH_USAGE_PERCENT = 90;

const MAX_LISTED_REFUSALS = 50;

/** Descriptions of error codes. */
const REFUSAL_REASONS: Partial<Record<string, string>> = {
  second_limit_exceeded: 'rate limit per second exceeded',
  month_limit_exceeded: 'monthly quota exceeded',
  scope_required: 'required scope missing',
};

const formatNumber = (value: number): string => value.toLocaleString('en-GB');

function toUsageMeter(name: string, used: number | undefined, limit: number | undefined): UsageMeter {
  const usedText = used === undefined ? 'currently unknown' : formatNumber(used);
  if (limit === undefined) return { name, label: usedText, isHigh: false };
  const label = `${usedText}${used === undefined ? ',' : ''} of ${formatNumber(limit)}`;
  if (used === undefined) return { name, label, isHigh: false };
  const percent = Math.min(100, Math.round((used / limit) * 100));
  return { name, label, percent, isHigh: percent >= HIGH_USAGE_PERCENT };
}

/** The limits and usage of a plan, and recently refused requests. */
export function toUsageView(usage: PlanUsage, applications: readonly ClientApplication[]): UsageView {
  const { plan, requestsPerSecond, month, clientApplications, apiKeys, refusals } = usage;
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  return {
    plan: `${plan.slice(0, 1).toUpperCase()}${plan.slice(1)} plan, ${formatNumber(requestsPerSecond)} requests per second`,
    meters: [
      toUsageMeter(`Requests until ${formatDay(new Date(month.endsTime))}`, month.used, month.limit),
      toUsageMeter('Applications', clientApplications.used, clientApplications.limit),
      toUsageMeter('API keys', apiKeys.used, apiKeys.limit),
    ],
    refusals: refusals.slice(0, MAX_LISTED_REFUSALS).map(({ hour, clientId, code, count }) => ({
      hour: `${hour.slice(0, 10)} ${hour.slice(11, 16)}`,
      application: names.get(clientId) ?? clientId,
      count: formatNumber(count),
      reason: REFUSAL_REASONS[code] ?? code,
    })),
  };
}
