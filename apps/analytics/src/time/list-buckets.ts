import { DateTime, type Zone } from 'luxon';
import { LRUCache } from 'lru-cache';
import { floorToBucket, type Interval, listBucketEdges } from './buckets.js';

/** The buckets of a range. */
export interface Buckets {
  /** The edges of the buckets, in milliseconds since 1970, ascending: one edge more than there are buckets. */
  readonly edges: readonly number[];
  /** The beginnings of the buckets, in ISO 8601 with the offset of the zone then. */
  readonly dates: readonly string[];
}

/** Bounds the memory: 136 years by day, or 10 lists of the most buckets. */
const MAX_CACHED_BUCKETS = 50_000;

const cache = new LRUCache<string, Buckets>({
  maxSize: MAX_CACHED_BUCKETS,
  sizeCalculation: ({ edges }) => edges.length,
});

/**
 * The buckets that cover a range: the same object for the same buckets, because calendar arithmetic costs more than the rest of a report,
 * and the ranges of a day are few.
 * @returns undefined where there are more than MAX_BUCKETS buckets
 */
export function listBuckets(zone: Zone, interval: Interval, begin: number, end: number): Buckets | undefined {
  const [first, last] = [begin, end - 1].map((instant) => floorToBucket(zone, interval, instant));
  const key = `${zone.name} ${interval} ${first} ${last}`;
  const known = cache.get(key);
  if (known) return known;
  const edges = listBucketEdges(zone, interval, begin, end);
  if (!edges) return undefined;
  const buckets = { edges, dates: edges.slice(0, -1).map((edge) => formatEdge(zone, edge)) };
  cache.set(key, buckets);
  return buckets;
}

/** Formats an edge in ISO 8601, with the offset of the zone then. */
export function formatEdge(zone: Zone, edge: number): string {
  const text = DateTime.fromMillis(edge, { zone }).toISO({ suppressMilliseconds: true });
  if (text === null) throw new RangeError(`${edge} is no time`);
  return text;
}
