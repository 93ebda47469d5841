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
  const [linked, unlinked, pairs] = kinds.map((kind) => counts.find((one) => one.kind === kind)?.counts);
  let total = await sumBefore(db, communityId, 'wallet.pairs', period.edges[0] ?? 0);
  return mapBuckets(period, (date, bucket) => {
    total += pairs?.[bucket] ?? 0;
    return { date, connected: linked?.[bucket] ?? 0, disconnected: unlinked?.[bucket] ?? 0, total };
  });
}
