import type { Queryable } from '@app/database';
import { sumByBucket } from '../rollups/event-counts.queries.js';
import { invalidTimeParameter } from '../time/time.errors.js';
import type { RolesAddedRow } from './analytics.dto.js';
import { listChartRoles, mapBuckets, type Report } from './report.js';

/** Bounds the memory of a report: 5,000 buckets of 20 roles, or 400 buckets of 250 roles. */
const MAX_ENTRIES = 100_000;

const toKey = (kind: string, roleId: string): string => `${kind} ${roleId}`;

/** Grants and revocations by bucket and role. */
export async function loadRolesAdded(db: Queryable, report: Report): Promise<RolesAddedRow[]> {
  const { communityId, period, chosenRoles } = report;
  const roleIds = chosenRoles?.map(({ id }) => id);
  const kinds = ['role.granted', 'role.revoked'] as const;
  checkEntries(report, report.chosenRoles ?? report.currentRoles);
  const counts = await sumByBucket(db, { communityId, kinds, edges: period.edges, roleIds });
  const roles = listChartRoles(
    report,
    counts.map(({ roleId }) => roleId),
  );
  checkEntries(report, roles);
  const byKey = new Map(counts.map(({ kind, roleId, counts: ofRole }) => [toKey(kind, roleId), ofRole]));
  const columns = roles.map((role) => ({
    role,
    added: byKey.get(toKey('role.granted', role.id)),
    removed: byKey.get(toKey('role.revoked', role.id)),
  }));
  return mapBuckets(period, (date, bucket) => {
    let total = 0;
    const entries = columns.map(({ role: { id, name, color }, ...column }) => {
      const added = column.added?.[bucket] ?? 0;
      total += added;
      return { id, name, color, added, removed: column.removed?.[bucket] ?? 0 };
    });
    return { date, total, roles: entries };
  });
}

function checkEntries({ period }: Report, roles: readonly unknown[]): void {
  if ((period.edges.length - 1) * roles.length > MAX_ENTRIES)
    throw invalidTimeParameter(
      'range',
      `would make more than ${MAX_ENTRIES} entries: use a longer interval, a shorter range or a filter`,
    );
}
