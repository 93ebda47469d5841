import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
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
  const changed = entries.flatMap(({ key, userIds }, index) => {
    const bytes = stored.get(index);
    const sketch = bytes ? DistinctSketch.decode(bytes) : DistinctSketch.create();
    const news = [...userIds].filter((userId) => sketch.add(hashMember(userId)));
    return news.length > 0 ? [{ ...key, bytes: sketch.encode() }] : [];
  });
  if (changed.length === 0) return;
  await queryRows(manager, SAVE_SKETCHES, [...toColumns(changed), changed.map(({ bytes }) => bytes)]);
}
