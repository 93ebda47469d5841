import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@app/common';
import type { CloseableCluster } from './closeable-cluster.js';

const RESPONSE_TIMEOUT_MS = 1_000;
const RETRY_DELAY_MS = 250;

/**
 * What any node says about itself, however long it takes to find one. BullMQ asks once on every new connection, and where
 * the node it came upon says nothing in that moment, it never uses the connection.
 */
export async function fetchInfoWithRetry(cluster: CloseableCluster): Promise<string> {
  for (;;) {
    try {
      return String(await withTimeout(RESPONSE_TIMEOUT_MS, cluster.call('INFO')));
    } catch (error) {
      if (cluster.hasEnded) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}
