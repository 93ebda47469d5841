import {
  REDIS_FAIL_FAST_OPTIONS,
  parseRedisUrl,
  REDIS_CLUSTER_OPTIONS,
  REDIS_NODE_TIMEOUT_MS,
  type RedisNode,
  type ParsedRedisUrl,
} from '@app/config';
import { Cluster, Redis, type Command } from 'ioredis';

const { connectTimeout, keepAlive, autoResendUnfulfilledCommands, maxRetriesPerRequest } =
  REDIS_FAIL_FAST_OPTIONS;

/** A cluster whose commands fail at once where the node of their keys is away, and only there. */
export class FailFastCluster extends Cluster {
  constructor(
    nodes: RedisNode[],
    access: ParsedRedisUrl['access'],
    private readonly commandTimeoutMs: number,
  ) {
    super(nodes, {
      enableOfflineQueue: REDIS_FAIL_FAST_OPTIONS.enableOfflineQueue,
      clusterRetryStrategy: REDIS_FAIL_FAST_OPTIONS.retryStrategy,
      // Where keys are moved about a command may follow them; it is not sent again to who may have done it.
      maxRedirections: 3,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      ...REDIS_CLUSTER_OPTIONS,
      redisOptions: {
        connectTimeout,
        keepAlive,
        autoResendUnfulfilledCommands,
        maxRetriesPerRequest,
        // What the client asks on its own account may take longer than a command.
        commandTimeout: REDIS_NODE_TIMEOUT_MS,
        ...access,
      },
    });
    // By itself it connects to a node with the first command for it, which has no time for that.
    this.on('+node', (node: Redis) => {
      if (!node.options.readOnly) node.connect().catch(() => undefined); // its commands fail then
    });
  }

  override sendCommand(...[command, ...rest]: Parameters<Cluster['sendCommand']>): unknown {
    if (isForKeys(command)) command.setTimeout(this.commandTimeoutMs);
    return super.sendCommand(command, ...rest);
  }
}

/** What the client itself asks about the cluster goes the same way. */
const isForKeys = ({ name }: Command): boolean => name !== 'cluster';

/**
 * A connection for what can be done without: a command fails at once when Redis is away, and is never sent twice.
 * @param url as REDIS_URL has it: one server or nodes of a cluster
 * @param commandTimeout after which a command counts as failed, in milliseconds
 */
export function createFailFastRedis(url: string, commandTimeout: number): Redis | Cluster {
  const { nodes, isCluster, access } = parseRedisUrl(url);
  const redis = isCluster
    ? new FailFastCluster(nodes, access, commandTimeout)
    : new Redis({ ...REDIS_FAIL_FAST_OPTIONS, commandTimeout, ...nodes[0], ...access });
  // Whoever sends a command hears of it; between commands nobody has to.
  redis.on('error', () => undefined);
  return redis;
}
