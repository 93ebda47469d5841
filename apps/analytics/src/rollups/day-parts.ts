import { QUARTER_HOUR_MS } from '../time/local-time.js';
import { QUARTERS_PER_DAY, toDay, toQuarterOfDay } from './quarter-hours.js';

/** The part of a UTC day that a bucket covers, between two of the positions; the first one begins with the day. */
interface DayPart {
  readonly bucket: number;
  readonly after: number | undefined;
  readonly until: number;
}

/** The UTC days of some buckets, and at which quarter-hours their running totals have to be known. */
export interface DayParts {
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
export function splitIntoDays(edges: readonly number[]): DayParts {
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
export function sumParts(
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
