import { parseRedisUrl } from '@app/config';
import { type Cluster, Redis } from 'ioredis';
import { CONNECTION } from './connection.js';
import { FailFastCluster } from './fail-fast-cluster.js';

/**
 * A connection for what can be done without: a command fails at once when Redis is away, and is never sent twice.
 * @param url as REDIS_URL has it: one server or nodes of a cluster
 * @param commandTimeout after which a command counts as failed, in milliseconds
 */
export function failFastRedis(url: string, commandTimeout: number): Redis | Cluster {
  const { nodes, isCluster, access } = parseRedisUrl(url);
  const redis = isCluster
    ? new FailFastCluster(nodes, access, commandTimeout)
    : new Redis({ ...CONNECTION, commandTimeout, ...nodes[0], ...access });
  // Whoever sends a command hears of it; between commands nobody has to.
  redis.on('error', () => undefined);
  return redis;
}
