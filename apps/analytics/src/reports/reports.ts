import type { ReportPeriod } from '../time/report-period.js';
import type {
  AnalyticsFilters,
  RoleDistributionRow,
  RolesAddedRow,
  UserInteractionsRow,
  WalletConnectionsRow,
} from './analytics.dto.js';
import type { CurrentRole } from './report-access.service.js';
import type { Queryable } from '@app/database';
import { countMembers } from '../rollups/state-intervals.queries.js';
import { sumByBucket, WITHOUT_ROLE, sumByBucketAndBefore } from '../rollups/event-counts.queries.js';
import { invalidTimeParameter } from '../time/time.errors.js';
import { countUsersByBucket } from '../rollups/user-sketches.queries.js';

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
function listChartRoles({ chosenRoles, currentRoles }: Report, numbered: Iterable<string>): ChartRole[] {
  if (chosenRoles) return [...chosenRoles];
  const known = new Set(currentRoles.map(({ id }) => id));
  const deleted = [...new Set(numbered)].filter((id) => !known.has(id)).sort();
  return [...currentRoles, ...deleted.map((id) => ({ id, name: id }))];
}

/** Maps the buckets of a period to rows, oldest first. */
const mapBuckets = <Row>(period: ReportPeriod, toRow: (date: string, bucket: number) => Row): Row[] =>
  period.dates.map(toRow);

const NO_ROLE = { id: 'none', name: 'No role', color: 0x9c_a3_af };

/** Members by role at the end of the range, largest first without a filter, and those without any of the roles. */
export async function loadRoleDistribution(db: Queryable, report: Report): Promise<RoleDistributionRow[]> {
  const { communityId, period, chosenRoles } = report;
  const end = period.edges.at(-1) ?? 0;
  const roleIds = chosenRoles?.map(({ id }) => id);
  const { members, withRole, byRole } = await countMembers(db, communityId, end, roleIds);
  const toShare = (count: number): number => (members === 0 ? 0 : count / members);
  const rows = listChartRoles(report, byRole.keys()).map((role) => {
    const count = byRole.get(role.id) ?? 0;
    return { ...role, count, share: toShare(count) };
  });
  if (!chosenRoles) rows.sort((a, b) => b.count - a.count);
  const count = members - withRole;
  return [...rows, { ...NO_ROLE, count, share: toShare(count) }];
}

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

/** Kinds of interactions by what is counted. */
const KINDS = {
  'member.joined': 'joined',
  'member.left': 'left',
  'member.signed_in': 'signedIn',
  'member.reported': 'reported',
  'member.checked': 'checked',
  'wallet.linked': 'walletLinked',
} as const;
type CountedKind = keyof typeof KINDS;

/** Interactions and distinct users by bucket. */
export async function loadUserInteractions(
  db: Queryable,
  { communityId, period }: Report,
): Promise<UserInteractionsRow[]> {
  const kinds = Object.keys(KINDS) as CountedKind[];
  const counts = await sumByBucket(db, { communityId, kinds, edges: period.edges, roleIds: WITHOUT_ROLE });
  const users = await countUsersByBucket(db, communityId, period.edges);
  const rows = mapBuckets(period, (date, bucket) => ({
    date,
    users: users[bucket] ?? 0,
    interactions: 0,
    kinds: { joined: 0, left: 0, signedIn: 0, checked: 0, walletLinked: 0, reported: 0 },
  }));
  for (const { kind, counts: ofKind } of counts)
    for (const [bucket, row] of rows.entries()) {
      const count = ofKind[bucket] ?? 0;
      row.kinds[KINDS[kind as CountedKind]] += count;
      row.interactions += count;
    }
  return rows;
}

/** Wallets that members connected and disconnected by bucket, and the pairs at its end. */
export async function loadWalletConnections(
  db: Queryable,
  { communityId, period }: Report,
): Promise<WalletConnectionsRow[]> {
  const kinds = ['wallet.linked', 'wallet.unlinked', 'wallet.pairs'] as const;
  const query = { communityId, kinds, edges: period.edges };
  const { counts, before } = await sumByBucketAndBefore(db, query, 'wallet.pairs');
  const [linked, unlinked, pairs] = kinds.map((kind) => counts.find((one) => one.kind === kind)?.counts);
  let total = before;
  return mapBuckets(period, (date, bucket) => {
    total += pairs?.[bucket] ?? 0;
    return { date, connected: linked?.[bucket] ?? 0, disconnected: unlinked?.[bucket] ?? 0, total };
  });
}
