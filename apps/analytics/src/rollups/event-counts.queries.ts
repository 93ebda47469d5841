import { type Queryable, queryRows } from '@app/database';
import type { MemberEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { QUARTER_HOUR_MS } from '../time/local-time.js';
import { formatDay, QUARTERS_PER_DAY, toDay, toQuarterOfDay } from './quarter-hours.js';
import type { RepairType } from './repair-event.js';
import type { PairChange } from './state-intervals.queries.js';

/** The part of a UTC day that a bucket covers, between two of the positions; the first one begins with the day. */
interface DayPart {
  readonly bucket: number;
  readonly after: number | undefined;
  readonly until: number;
}

/** The UTC days of some buckets, and at which quarter-hours their running totals have to be known. */
interface DayParts {
  readonly buckets: number;
  readonly firstDay: number;
  readonly lastDay: number;
  /** How many quarter-hours of a day have passed, ascending: where buckets begin, and the end of the day. */
  readonly positions: readonly number[];
  /** Parts by day, from `firstDay` on. They name positions by their index. */
  readonly days: readonly (readonly DayPart[])[];
}

const known = new WeakMap<readonly number[], DayParts>();

/**
 * Splits the same array of edges once.
 * @param edges of the buckets, in milliseconds since 1970 on quarter-hours
 */
function splitIntoDays(edges: readonly number[]): DayParts {
  const parts = known.get(edges) ?? createDayParts(edges);
  known.set(edges, parts);
  return parts;
}

function createDayParts(edges: readonly number[]): DayParts {
  const quarters = edges.map((edge) => edge / QUARTER_HOUR_MS);
  const firstDay = toDay(quarters[0] ?? 0);
  const lastDay = toDay((quarters.at(-1) ?? 1) - 1);
  const inside = quarters.map(toQuarterOfDay).filter((quarter) => quarter > 0);
  const positions = [...new Set([...inside, QUARTERS_PER_DAY])].sort((a, b) => a - b);
  const indexes = new Map(positions.map((position, index) => [position, index]));
  const days: DayPart[][] = Array.from({ length: lastDay - firstDay + 1 }, () => []);
  for (const [bucket, begin] of quarters.slice(0, -1).entries()) {
    const end = quarters[bucket + 1] ?? begin;
    for (let day = toDay(begin); day * QUARTERS_PER_DAY < end; day += 1) {
      const start = day * QUARTERS_PER_DAY;
      const after = indexes.get(begin - start);
      const until = indexes.get(Math.min(end - start, QUARTERS_PER_DAY));
      if (until !== undefined) days[day - firstDay]?.push({ bucket, after, until });
    }
  }
  return { buckets: quarters.length - 1, firstDay, lastDay, positions, days };
}

/**
 * The counts of each bucket.
 * @param days counted from `firstDay` @param totals for each position, the running totals of these days
 */
function sumParts(
  parts: DayParts,
  days: readonly number[],
  totals: readonly (readonly number[])[],
): number[] {
  const counts = Array<number>(parts.buckets).fill(0);
  for (const [row, day] of days.entries())
    for (const { bucket, after, until } of parts.days[day] ?? []) {
      const before = after === undefined ? 0 : (totals[after]?.[row] ?? 0);
      counts[bucket] = (counts[bucket] ?? 0) + (totals[until]?.[row] ?? 0) - before;
    }
  return counts;
}

/** What is counted: events by type, and changes of the number of pairs of a member and a wallet. */
export type CountKind = MemberEvent['type'] | RepairType | 'wallet.pairs';

export interface Count {
  readonly communityId: string;
  readonly kind: CountKind;
  /** The role; empty where the kind has no role. */
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

/** Groups counts into rows of the table, which has a row for each day. */
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

/** An int[][] as PostgreSQL writes it. */
const columns = z
  .string()
  .regex(/^[{}\d,-]+$/)
  .transform(
    (text) => JSON.parse(text.replaceAll('{', '[').replaceAll('}', ']')) as [number[], ...number[][]],
  );

const daySum = z.object({ kind: z.string(), roleId: z.string(), columns });
const daySums = z.array(daySum);

/** The counts of a kind and role by bucket. */
export interface BucketCounts {
  readonly kind: string;
  readonly roleId: string;
  readonly counts: readonly number[];
}

export interface CountsQuery {
  readonly communityId: string;
  readonly kinds: readonly CountKind[];
  /** The edges of the buckets, in milliseconds since 1970. */
  readonly edges: readonly number[];
  /** Undefined for all roles. */
  readonly roleIds?: readonly string[] | undefined;
}

/** The `roleIds` of kinds without roles. */
export const WITHOUT_ROLE = [''];

/** The counts of the kinds and roles that the range has. */
export async function sumByBucket(db: Queryable, query: CountsQuery): Promise<BucketCounts[]> {
  const parts = splitIntoDays(query.edges);
  const parameters: unknown[] = [];
  const sql = createSumByDay(query, parts, parameters);
  const rows = daySums.parse(await queryRows(db, sql, parameters));
  return rows.map((row) => toBucketCounts(parts, row));
}

/**
 * SQL with a row for each kind and role, because a row for each day costs several times as much to transfer and parse.
 * Its columns are days, and the running total of each position, as text: PostgreSQL and Node make and read that faster
 * than JSON. Positions are parameters, so that there are few statements to prepare.
 */
function createSumByDay(
  { communityId, kinds, roleIds }: CountsQuery,
  { firstDay, lastDay, positions }: DayParts,
  parameters: unknown[],
): string {
  const bind = (value: unknown): string => `$${parameters.push(value)}`;
  const first = bind(formatDay(firstDay));
  const totals = positions.map((position) => `array_agg(running_totals[${bind(position)}::int])`);
  // A condition that is true for all roles would keep the others from the index.
  const ofRoles = roleIds ? `AND role_id = ANY(${bind(roleIds)}::text[])` : '';
  return `
    SELECT kind, role_id AS "roleId", ARRAY[${[`array_agg(day - ${first}::date)`, ...totals].join(', ')}]::text AS columns
    FROM analytics.event_counts
    WHERE community_id = ${bind(communityId)} AND kind = ANY(${bind(kinds)}::text[]) ${ofRoles}
      AND day BETWEEN ${first}::date AND ${bind(formatDay(lastDay))}::date
    GROUP BY kind, role_id`;
}

function toBucketCounts(parts: DayParts, row: z.output<typeof daySum>): BucketCounts {
  const [days, ...totals] = row.columns;
  return { kind: row.kind, roleId: row.roleId, counts: sumParts(parts, days, totals) };
}

const daySumsAndBefore = z
  .array(z.union([daySum.extend({ before: z.number() }), z.object({ before: z.number(), kind: z.null() })]))
  .min(1);

/**
 * The counts of kinds without roles by bucket, and the sum of one kind from the first event to the first bucket. In one statement,
 * so that both are of the same moment.
 */
export async function sumByBucketAndBefore(
  db: Queryable,
  query: Omit<CountsQuery, 'roleIds'>,
  summedKind: CountKind,
): Promise<{ counts: BucketCounts[]; before: number }> {
  const parts = splitIntoDays(query.edges);
  const parameters: unknown[] = [];
  const byDay = createSumByDay({ ...query, roleIds: WITHOUT_ROLE }, parts, parameters);
  const bind = (value: unknown): string => `$${parameters.push(value)}`;
  const first = bind(formatDay(parts.firstDay));
  const position = bind(toQuarterOfDay((query.edges[0] ?? 0) / QUARTER_HOUR_MS));
  const sql = `
    SELECT b.before, d.* FROM (
      SELECT coalesce(sum(CASE
        WHEN day < ${first}::date THEN running_totals[${QUARTERS_PER_DAY}] ELSE coalesce(running_totals[${position}::int], 0)
      END), 0)::float8 AS before
      FROM analytics.event_counts
      WHERE community_id = ${bind(query.communityId)} AND kind = ${bind(summedKind)} AND role_id = '' AND day <= ${first}::date
    ) AS b LEFT JOIN (${byDay}) AS d ON true`;
  const rows = daySumsAndBefore.parse(await queryRows(db, sql, parameters));
  const counts = rows.flatMap((row) => (row.kind === null ? [] : [toBucketCounts(parts, row)]));
  return { counts, before: rows[0]?.before ?? 0 };
}
