import type { ReportPeriod } from '../time/report-period.js';
import type { AnalyticsFilters } from './analytics.dto.js';
import type { CurrentRole } from './report-access.service.js';

/** A role as a chart shows it. */
export interface ChartRole {
  readonly id: string;
  readonly name: string;
  readonly color?: number | undefined;
}

/** What a caller who may read a community's analytics asks for. */
export interface Report {
  readonly communityId: string;
  readonly period: ReportPeriod;
  /** The roles that the community has now. */
  readonly currentRoles: readonly CurrentRole[];
  /** Undefined for all roles. An empty list counts as none, because existing clients send it. */
  readonly chosenRoles: AnalyticsFilters | undefined;
}

/** The roles that the filter chose, or those that the community has, and those that only numbers know. */
export function listChartRoles(
  { chosenRoles, currentRoles }: Report,
  numbered: Iterable<string>,
): ChartRole[] {
  if (chosenRoles) return [...chosenRoles];
  const known = new Set(currentRoles.map(({ id }) => id));
  const deleted = [...new Set(numbered)].filter((id) => !known.has(id)).sort();
  return [...currentRoles, ...deleted.map((id) => ({ id, name: id }))];
}

/** Maps the buckets of a period to rows, oldest first. */
export const mapBuckets = <Row>(period: ReportPeriod, toRow: (date: string, bucket: number) => Row): Row[] =>
  period.dates.map(toRow);
