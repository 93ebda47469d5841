import { REDIS_CLUSTER_LOOKS, type RedisServers } from '@app/config';
import type { ClusterOptions, RedisOptions } from 'ioredis';
import { PromptCluster } from './prompt-cluster.js';
import { PromptRedis } from './prompt-redis.js';

const PAUSE_MS = 250;

/** What a command does whose node is lost: fail, or be sent again until there is one. */
const FAIL: ClusterOptions = { maxRedirections: 3, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };
const PERSIST: ClusterOptions = {
  maxRedirections: Infinity,
  retryDelayOnFailover: PAUSE_MS,
  retryDelayOnClusterDown: PAUSE_MS,
};

/** The one place where queues connect to Redis. @param options as for one server; a cluster's follow from them */
export function queueRedis(
  { nodes, isCluster, access }: RedisServers,
  options: RedisOptions,
): PromptRedis | PromptCluster {
  if (!isCluster) return new PromptRedis({ ...options, ...nodes[0], ...access });
  // Nodes are connected to when they are first needed, and even a hasty command waits for that, in its time.
  const { host: _host, port: _port, enableOfflineQueue: _forOne, retryStrategy, ...perNode } = options;
  return new PromptCluster(nodes, {
    ...(options.maxRetriesPerRequest === null ? PERSIST : FAIL),
    clusterRetryStrategy: retryStrategy,
    ...REDIS_CLUSTER_LOOKS,
    redisOptions: { ...perNode, ...access },
  });
}
