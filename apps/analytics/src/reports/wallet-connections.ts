import type { Queryable } from '@app/database';
import { sumByBucketAndBefore } from '../rollups/event-counts.queries.js';
import type { WalletConnectionsRow } from './analytics.dto.js';
import { mapBuckets, type Report } from './report.js';

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
