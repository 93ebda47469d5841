import type { PlanUsage } from '../../applications/plans/plan-usage.dto.js';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { formatDay } from '../views/format-values.js';

/** A bar of the chart. */
export interface UsageMeter {
  name: string;
  /** `1,204 of 10,000`, `unknown of 10,000`, `3`. */
  words: string;
  /** How full it is, 0 to 100; absent where nothing bounds it or nobody knows. */
  percent?: number;
  /** Little is left. */
  much: boolean;
}

export interface RefusalView {
  when: string;
  application: string;
  count: string;
  why: string;
}

export interface UsageView {
  plan: string;
  meters: UsageMeter[];
  refusals: RefusalView[];
}

const HIGH_USAGE_PERCENT = 90;

const MAX_LISTED_REFUSALS = 50;

/** Errors' codes, in plain words. */
const REFUSAL_REASONS: Partial<Record<string, string>> = {
  second_limit_exceeded: 'too many in a second',
  month_limit_exceeded: 'the month is used up',
  scope_required: 'a scope was missing',
};

const number = (value: number): string => value.toLocaleString('en-GB');

function toUsageMeter(name: string, used: number | undefined, limit: number | undefined): UsageMeter {
  const shown = used === undefined ? 'unknown at the moment' : number(used);
  if (limit === undefined) return { name, words: shown, much: false };
  const words = `${shown}${used === undefined ? ',' : ''} of ${number(limit)}`;
  if (used === undefined) return { name, words, much: false };
  const percent = Math.min(100, Math.round((used / limit) * 100));
  return { name, words, percent, much: percent >= HIGH_USAGE_PERCENT };
}

/** What a plan allows, what is used of it, and what was refused lately. */
export function toUsageView(usage: PlanUsage, applications: readonly ClientApplication[]): UsageView {
  const { plan, requestsPerSecond, month, clientApplications, apiKeys, refusals } = usage;
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  return {
    plan: `${plan.slice(0, 1).toUpperCase()}${plan.slice(1)} plan, ${number(requestsPerSecond)} requests a second`,
    meters: [
      toUsageMeter(`Requests until ${formatDay(new Date(month.endsTime))}`, month.used, month.limit),
      toUsageMeter('Applications', clientApplications.used, clientApplications.limit),
      toUsageMeter('API keys', apiKeys.used, apiKeys.limit),
    ],
    refusals: refusals.slice(0, MAX_LISTED_REFUSALS).map(({ hour, clientId, code, count }) => ({
      when: `${hour.slice(0, 10)} ${hour.slice(11, 16)}`,
      application: names.get(clientId) ?? clientId,
      count: number(count),
      why: REFUSAL_REASONS[code] ?? code,
    })),
  };
}
