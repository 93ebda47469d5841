import type { Queryable } from '@app/database';
import { sumByBucket, WITHOUT_ROLE } from '../rollups/event-counts.queries.js';
import { countUsersByBucket } from '../rollups/user-sketches.queries.js';
import type { UserInteractionsRow } from './analytics.dto.js';
import { mapBuckets, type Report } from './report.js';

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
