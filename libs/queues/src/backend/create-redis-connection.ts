import { REDIS_CLUSTER_OPTIONS, type ParsedRedisUrl } from '@app/config';
import type { ClusterOptions, RedisOptions } from 'ioredis';
import { CloseableCluster } from '../workarounds/closeable-cluster.js';
import { CloseableRedis } from '../workarounds/closeable-redis.js';

const RETRY_DELAY_MS = 250;

/** What a command does whose node is lost: fail, or be sent again until there is one. */
const FAIL_FAST_OPTIONS: ClusterOptions = {
  maxRedirections: 3,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
};
const RETRY_FOREVER_OPTIONS: ClusterOptions = {
  maxRedirections: Infinity,
  retryDelayOnFailover: RETRY_DELAY_MS,
  retryDelayOnClusterDown: RETRY_DELAY_MS,
};

/** The one place where queues connect to Redis. @param options as for one server; a cluster's follow from them */
export function createRedisConnection(
  { nodes, isCluster, access }: ParsedRedisUrl,
  options: RedisOptions,
): CloseableRedis | CloseableCluster {
  if (!isCluster) return new CloseableRedis({ ...options, ...nodes[0], ...access });
  // Nodes are connected to when they are first needed, and even a hasty command waits for that, in its time.
  const { host: _host, port: _port, enableOfflineQueue: _forOne, retryStrategy, ...perNode } = options;
  return new CloseableCluster(nodes, {
    ...(options.maxRetriesPerRequest === null ? RETRY_FOREVER_OPTIONS : FAIL_FAST_OPTIONS),
    clusterRetryStrategy: retryStrategy,
    ...REDIS_CLUSTER_OPTIONS,
    redisOptions: { ...perNode, ...access },
  });
}
