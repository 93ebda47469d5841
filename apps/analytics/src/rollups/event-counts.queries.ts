import { type Queryable, queryRows } from '@app/database';
import type { MemberEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { splitIntoDays, sumParts } from './day-parts.js';
import { formatDay, QUARTERS_PER_DAY, toDay, toQuarterOfDay } from './quarter-hours.js';
import type { RepairType } from './repair-event.js';
import type { PairChange } from './state-intervals.queries.js';

/** What is counted: events by type, and changes of the number of pairs of a member and a wallet. */
export type CountKind = MemberEvent['type'] | RepairType | 'wallet.pairs';

export interface Count {
  readonly communityId: string;
  readonly kind: CountKind;
  /** Empty where the kind has no role. */
  readonly roleId: string;
  readonly quarter: number;
  readonly count: number;
}

/** @param changes of the number of pairs of a member and a wallet */
export const toPairCounts = (changes: readonly PairChange[]): Count[] =>
  changes.map(({ communityId, quarter, change }) => ({
    ...{ communityId, quarter, count: change },
    ...{ kind: 'wallet.pairs', roleId: '' },
  }));

interface DayCounts extends Pick<Count, 'communityId' | 'kind' | 'roleId'> {
  readonly day: number;
  readonly quarters: number[];
}

/** One entry for each row of the table. */
function groupByDay(counts: readonly Count[]): DayCounts[] {
  const days = new Map<string, DayCounts>();
  for (const { communityId, kind, roleId, quarter, count } of counts) {
    const day = toDay(quarter);
    const key = JSON.stringify([communityId, kind, roleId, day]);
    const found = days.get(key) ?? {
      ...{ communityId, kind, roleId, day },
      quarters: Array<number>(QUARTERS_PER_DAY).fill(0),
    };
    days.set(key, found);
    const at = toQuarterOfDay(quarter);
    found.quarters[at] = (found.quarters[at] ?? 0) + count;
  }
  return [...days.values()];
}

/** The counter of each quarter-hour holds the count of the day until its end, so that any span is one subtraction. */
function toRunningTotals(quarters: readonly number[]): number[] {
  let total = 0;
  return quarters.map((count) => (total += count));
}

const ADD_COUNTS = `
  INSERT INTO analytics.event_counts AS c (community_id, kind, role_id, day, running_totals)
  SELECT n.community_id, n.kind, n.role_id, n.day, n.running_totals::int[]
  FROM unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::text[])
    AS n (community_id, kind, role_id, day, running_totals)
  ON CONFLICT (community_id, kind, role_id, day) DO UPDATE
  SET running_totals = ARRAY(SELECT unnest(c.running_totals) + unnest(excluded.running_totals))`;

/** The communities must be locked. */
export async function addCounts(manager: EntityManager, counts: readonly Count[]): Promise<void> {
  const rows = groupByDay(counts);
  if (rows.length === 0) return;
  await queryRows(manager, ADD_COUNTS, [
    rows.map(({ communityId }) => communityId),
    rows.map(({ kind }) => kind),
    rows.map(({ roleId }) => roleId),
    rows.map(({ day }) => formatDay(day)),
    rows.map(({ quarters }) => `{${toRunningTotals(quarters).join()}}`),
  ]);
}

/** One row for each kind and role, because a row for each day costs several times as much to transfer and parse. */
const createSumByDay = (positions: readonly number[]): string => `
  SELECT kind, role_id AS "roleId", json_agg(day - $3::date) AS days,
    json_build_array(${positions.map((position) => `json_agg(running_totals[${position}])`).join(', ')}) AS totals
  FROM analytics.event_counts
  WHERE community_id = $1 AND kind = ANY($2::text[]) AND day BETWEEN $3::date AND $4::date
    AND ($5::text[] IS NULL OR role_id = ANY($5::text[]))
  GROUP BY kind, role_id`;

const daySums = z.array(
  z.object({
    kind: z.string(),
    roleId: z.string(),
    days: z.array(z.int()),
    totals: z.array(z.array(z.int())),
  }),
);

/** The counts of a kind and role by bucket. */
export interface BucketCounts {
  readonly kind: string;
  readonly roleId: string;
  readonly counts: readonly number[];
}

export interface CountsQuery {
  readonly communityId: string;
  readonly kinds: readonly CountKind[];
  /** Of the buckets, in milliseconds since 1970. */
  readonly edges: readonly number[];
  /** Undefined for all roles. */
  readonly roleIds?: readonly string[] | undefined;
}

/** The counts of the kinds and roles that the range has. */
export async function sumByBucket(
  db: Queryable,
  { communityId, kinds, edges, roleIds }: CountsQuery,
): Promise<BucketCounts[]> {
  const parts = splitIntoDays(edges);
  const days = [formatDay(parts.firstDay), formatDay(parts.lastDay)];
  const parameters = [communityId, kinds, ...days, roleIds ?? null];
  const rows = daySums.parse(await queryRows(db, createSumByDay(parts.positions), parameters));
  return rows.map(({ kind, roleId, days, totals }) => ({
    kind,
    roleId,
    counts: sumParts(parts, days, totals),
  }));
}

const SUM_BEFORE = `
  SELECT coalesce(sum(CASE
    WHEN day < ($3::timestamptz AT TIME ZONE 'UTC')::date THEN running_totals[${QUARTERS_PER_DAY}]
    ELSE coalesce(running_totals[
      extract(epoch FROM ($3::timestamptz AT TIME ZONE 'UTC') - date_trunc('day', $3::timestamptz AT TIME ZONE 'UTC'))::int / 900
    ], 0)
  END), 0)::float8 AS count
  FROM analytics.event_counts
  WHERE community_id = $1 AND kind = $2 AND role_id = '' AND day <= ($3::timestamptz AT TIME ZONE 'UTC')::date`;

const sums = z.tuple([z.object({ count: z.number() })]);

/** The sum of a kind without roles from the first event to a time. */
export async function sumBefore(
  db: Queryable,
  communityId: string,
  kind: CountKind,
  time: number,
): Promise<number> {
  const rows = await queryRows(db, SUM_BEFORE, [communityId, kind, new Date(time).toISOString()]);
  return sums.parse(rows)[0].count;
}
