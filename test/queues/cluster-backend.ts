import { LocalRedisCluster } from '../support/local-redis-cluster.js';
import type { QueueBackend } from '../support/queue-backend.js';

/** Queues on a Redis Cluster. `takeAway` kills all of its nodes. */
export async function clusterBackend(isRunning: boolean): Promise<QueueBackend> {
  const cluster = await LocalRedisCluster.prepare({
    args: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  });
  if (isRunning) await cluster.start();
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
