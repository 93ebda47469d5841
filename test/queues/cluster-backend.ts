import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import type { QueueBackend } from '../support/queue-backend.js';

/** Queues on a Redis Cluster. Away, all of its nodes are. */
export async function clusterBackend(isThere: boolean): Promise<QueueBackend> {
  const cluster = await LocalRedisCluster.prepare({
    args: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  });
  if (isThere) await cluster.start();
  return {
    env: { REDIS_URL: cluster.url },
    takeAway: () => cluster.kill(),
    bringBack: () => cluster.start(),
    freeze: () => {
      cluster.pause();
    },
    unfreeze: () => {
      cluster.resume();
      return Promise.resolve();
    },
    stop: () => cluster.stop(),
  };
}
