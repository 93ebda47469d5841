import type { Queryable } from '@app/database';
import { sumBefore, sumByBucket } from '../rollups/event-counts.queries.js';
import type { WalletConnectionsRow } from './analytics.dto.js';
import { mapBuckets, type Report } from './report.js';

/** Wallets that members connected and disconnected by bucket, and the pairs at its end. */
export async function loadWalletConnections(
  db: Queryable,
  { communityId, period }: Report,
): Promise<WalletConnectionsRow[]> {
  const kinds = ['wallet.linked', 'wallet.unlinked', 'wallet.pairs'] as const;
  const counts = await sumByBucket(db, { communityId, kinds, edges: period.edges });
  const byKey = new Map(counts.map(({ bucket, kind, count }) => [`${bucket} ${kind}`, count]));
  let total = await sumBefore(db, communityId, 'wallet.pairs', period.edges[0] ?? 0);
  return mapBuckets(period, (date, bucket) => {
    total += byKey.get(`${bucket} wallet.pairs`) ?? 0;
    return {
      date,
      connected: byKey.get(`${bucket} wallet.linked`) ?? 0,
      disconnected: byKey.get(`${bucket} wallet.unlinked`) ?? 0,
      total,
    };
  });
}
