import { setTimeout as sleep } from 'node:timers/promises';
import { waitAtMost } from '../produce/wait-at-most.js';
import type { PromptCluster } from './prompt-cluster.js';

const SILENCE_MS = 1_000;
const PAUSE_MS = 250;

/**
 * What any node says about itself, however long it takes to find one. BullMQ asks once on every new connection, and where
 * the node it came upon says nothing in that moment, it never uses the connection.
 */
export async function patientInfo(cluster: PromptCluster): Promise<string> {
  for (;;) {
    try {
      return String(await waitAtMost(SILENCE_MS, () => cluster.call('INFO')));
    } catch (error) {
      if (cluster.hasEnded) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
