import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@app/common';
import type { CloseableCluster } from './closeable-cluster.js';

const RESPONSE_TIMEOUT_MS = 1_000;
const RETRY_DELAY_MS = 250;

/**
 * Works around BullMQ 6, which sends INFO once per new connection to an arbitrary node of a cluster, and never uses the
 * connection if that node does not answer. Retries until a node answers.
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
