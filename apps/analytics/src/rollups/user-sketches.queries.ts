import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { QUARTER_HOUR_MS } from '../time/local-time.js';
import { DistinctSketch, hashMember } from './distinct-sketch.js';
import { formatQuarterHour, QUARTERS_PER_DAY, toDay } from './quarter-hours.js';

/** A sketch covers a quarter-hour or a UTC day, which is the union of its quarter-hours. Spans are in quarter-hours. */
const SPANS = [1, QUARTERS_PER_DAY] as const;

/** A member who did something. */
export interface Activity {
  readonly communityId: string;
  readonly userId: string;
  readonly quarter: number;
}

interface SketchKey {
  readonly communityId: string;
  readonly span: number;
  readonly begin: number;
}

const toColumns = (keys: readonly SketchKey[]): unknown[] => [
  keys.map(({ communityId }) => communityId),
  keys.map(({ span }) => span),
  keys.map(({ begin }) => formatQuarterHour(begin)),
];

const KEYS = 'unnest($1::text[], $2::int[], $3::timestamptz[])';

const LOAD_SKETCHES = `
  SELECT k.index::int - 1 AS index, s.sketch
  FROM ${KEYS} WITH ORDINALITY AS k (community_id, span, begin_at, index)
  JOIN analytics.user_sketches s
    ON s.community_id = k.community_id AND s.span = k.span AND s.begin_at = k.begin_at`;

const SAVE_SKETCHES = `
  INSERT INTO analytics.user_sketches (community_id, span, begin_at, sketch)
  SELECT * FROM unnest($1::text[], $2::int[], $3::timestamptz[], $4::bytea[])
  ON CONFLICT (community_id, span, begin_at) DO UPDATE SET sketch = excluded.sketch`;

const loadedSketches = z.array(z.object({ index: z.int(), sketch: z.instanceof(Buffer) }));

/** Adds members to the sketches of their quarter-hours and days. The communities must be locked. */
export async function addActivities(manager: EntityManager, activities: readonly Activity[]): Promise<void> {
  const members = new Map<string, { key: SketchKey; userIds: Set<string> }>();
  for (const { communityId, userId, quarter } of activities)
    for (const span of SPANS) {
      const begin = span === 1 ? quarter : toDay(quarter) * QUARTERS_PER_DAY;
      const id = JSON.stringify([communityId, span, begin]);
      const entry = members.get(id) ?? { key: { communityId, span, begin }, userIds: new Set() };
      members.set(id, entry);
      entry.userIds.add(userId);
    }
  if (members.size === 0) return;
  const entries = [...members.values()];
  const rows = await queryRows(manager, LOAD_SKETCHES, toColumns(entries.map(({ key }) => key)));
  const stored = new Map(loadedSketches.parse(rows).map(({ index, sketch }) => [index, sketch]));
  const hashOf = createHashOf();
  const changed = entries.flatMap(({ key, userIds }, index) => {
    const bytes = stored.get(index);
    const sketch = bytes ? DistinctSketch.decode(bytes) : DistinctSketch.create();
    const news = [...userIds].filter((userId) => sketch.add(hashOf(userId)));
    return news.length > 0 ? [{ ...key, bytes: sketch.encode() }] : [];
  });
  if (changed.length === 0) return;
  await queryRows(manager, SAVE_SKETCHES, [...toColumns(changed), changed.map(({ bytes }) => bytes)]);
}

/** A member is in several sketches, and hashing costs more than adding. */
function createHashOf(): (userId: string) => Buffer {
  const hashes = new Map<string, Buffer>();
  return (userId) => {
    const hash = hashes.get(userId) ?? hashMember(userId);
    hashes.set(userId, hash);
    return hash;
  };
}

/** Sketches of at most 16 KiB that one statement reads. */
const MAX_SKETCHES_PER_STATEMENT = 256;

/** Consecutive sketches of one span in a bucket: quarter-hours from `begin` until `end`. */
interface SketchRange {
  readonly bucket: number;
  readonly span: number;
  readonly begin: number;
  readonly end: number;
}

/** The whole UTC days of a bucket, and the quarter-hours before and after them. */
function toSketchRanges(bucket: number, begin: number, end: number): SketchRange[] {
  const firstDay = Math.ceil(begin / QUARTERS_PER_DAY) * QUARTERS_PER_DAY;
  const lastDay = toDay(end) * QUARTERS_PER_DAY;
  if (firstDay >= lastDay) return [{ bucket, span: 1, begin, end }];
  return [
    { bucket, span: 1, begin, end: firstDay },
    { bucket, span: QUARTERS_PER_DAY, begin: firstDay, end: lastDay },
    { bucket, span: 1, begin: lastDay, end },
  ].filter((range) => range.begin < range.end);
}

const countSketches = ({ span, begin, end }: SketchRange): number => (end - begin) / span;

/** Bounds the memory of one statement, which reads whole buckets. A month in any zone has fewer sketches than the bound. */
function* toStatements(buckets: readonly SketchRange[][]): Generator<SketchRange[]> {
  let [statement, sketches]: [SketchRange[], number] = [[], 0];
  for (const ranges of buckets) {
    const added = ranges.reduce((sum, range) => sum + countSketches(range), 0);
    if (statement.length > 0 && sketches + added > MAX_SKETCHES_PER_STATEMENT) {
      yield statement;
      [statement, sketches] = [[], 0];
    }
    statement.push(...ranges);
    sketches += added;
  }
  if (statement.length > 0) yield statement;
}

/** OFFSET 0 makes one index scan for each range: the planner would join all sketches of the community instead. */
const SELECT_SKETCHES = `
  SELECT r.bucket, s.sketch
  FROM unnest($2::int[], $3::int[], $4::timestamptz[], $5::timestamptz[]) AS r (bucket, span, begin_at, end_at)
  CROSS JOIN LATERAL (
    SELECT sketch FROM analytics.user_sketches
    WHERE community_id = $1 AND span = r.span AND begin_at >= r.begin_at AND begin_at < r.end_at OFFSET 0
  ) AS s`;

const bucketSketches = z.array(z.object({ bucket: z.int(), sketch: z.instanceof(Buffer) }));

/**
 * Distinct members by bucket. Holds the sketches of one statement and one merged sketch, whatever the number of buckets.
 * @param edges of the buckets, in milliseconds since 1970 on quarter-hours
 */
export async function countUsersByBucket(
  db: Queryable,
  communityId: string,
  edges: readonly number[],
): Promise<number[]> {
  const quarters = edges.map((edge) => edge / QUARTER_HOUR_MS);
  const buckets = quarters
    .slice(1)
    .map((end, bucket) => toSketchRanges(bucket, quarters[bucket] ?? end, end));
  const users = Array<number>(buckets.length).fill(0);
  for (const statement of toStatements(buckets)) {
    const rows = await queryRows(db, SELECT_SKETCHES, [
      communityId,
      statement.map(({ bucket }) => bucket),
      statement.map(({ span }) => span),
      statement.map(({ begin }) => formatQuarterHour(begin)),
      statement.map(({ end }) => formatQuarterHour(end)),
    ]);
    for (const [bucket, sketches] of groupByBucket(bucketSketches.parse(rows)))
      users[bucket] = countUnion(sketches);
  }
  return users;
}

type BucketSketch = z.output<typeof bucketSketches>[number];

function groupByBucket(rows: readonly BucketSketch[]): Map<number, Buffer[]> {
  const groups = new Map<number, Buffer[]>();
  for (const { bucket, sketch } of rows) {
    const group = groups.get(bucket);
    if (group) group.push(sketch);
    else groups.set(bucket, [sketch]);
  }
  return groups;
}

function countUnion([first, ...others]: readonly Buffer[]): number {
  if (!first) return 0;
  const union = DistinctSketch.decode(first);
  for (const other of others) union.merge(DistinctSketch.decode(other));
  return union.count();
}
