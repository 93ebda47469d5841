import {
  createClusterRefusalOptions,
  createReconnectOptions,
  type OnRefusal,
  type ParsedRedisUrl,
  REDIS_CLUSTER_OPTIONS,
} from '@app/config';
import type { ClusterOptions, RedisOptions } from 'ioredis';
import { CloseableCluster } from '../workarounds/closeable-cluster.js';
import { CloseableRedis } from '../workarounds/closeable-redis.js';

const RETRY_DELAY_MS = 250;

/** Fails a command whose node is unavailable. */
const FAIL_FAST_OPTIONS: ClusterOptions = {
  maxRedirections: 3,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
};
/** Retries a command until its node is available. */
const RETRY_FOREVER_OPTIONS: ClusterOptions = {
  maxRedirections: Infinity,
  retryDelayOnFailover: RETRY_DELAY_MS,
  retryDelayOnClusterDown: RETRY_DELAY_MS,
};

/**
 * The only place where queues connect to Redis. Commands of workers, which retry forever, are sent again after a refused write: BullMQ would
 * fetch jobs again without a pause. A cluster redirects writes to the new primary itself.
 * @param options for a single server; a cluster's are derived from them
 */
export function createRedisConnection(
  { nodes, isCluster, access }: ParsedRedisUrl,
  options: RedisOptions & { retryStrategy: (times: number) => number },
  onRefusal: OnRefusal,
): CloseableRedis | CloseableCluster {
  if (!isCluster) {
    const resends = options.maxRetriesPerRequest === null;
    const reconnect = createReconnectOptions({ retryStrategy: options.retryStrategy, resends, onRefusal });
    return new CloseableRedis({ ...options, ...reconnect, ...nodes[0], ...access });
  }
  // ioredis connects to a node with its first command, which waits in the offline queue until its timeout.
  const { host: _host, port: _port, enableOfflineQueue: _single, retryStrategy, ...nodeOptions } = options;
  return new CloseableCluster(nodes, {
    ...(options.maxRetriesPerRequest === null ? RETRY_FOREVER_OPTIONS : FAIL_FAST_OPTIONS),
    clusterRetryStrategy: retryStrategy,
    ...REDIS_CLUSTER_OPTIONS,
    redisOptions: { ...nodeOptions, ...createClusterRefusalOptions(onRefusal), ...access },
  });
}
