import {
  createClusterRefusalOptions,
  createReconnectOptions,
  type OnRefusal,
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

/** A cluster client whose commands fail at once when the node of their keys is unavailable. */
class FailFastCluster extends Cluster {
  constructor(
    nodes: RedisNode[],
    access: ParsedRedisUrl['access'],
    private readonly commandTimeoutMs: number,
    onRefusal?: OnRefusal,
  ) {
    super(nodes, {
      enableOfflineQueue: REDIS_FAIL_FAST_OPTIONS.enableOfflineQueue,
      clusterRetryStrategy: REDIS_FAIL_FAST_OPTIONS.retryStrategy,
      // A command follows MOVED and ASK redirections, but is never repeated at a node that may have executed it.
      maxRedirections: 3,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      ...REDIS_CLUSTER_OPTIONS,
      redisOptions: {
        connectTimeout,
        keepAlive,
        autoResendUnfulfilledCommands,
        maxRetriesPerRequest,
        // The client's own queries about the cluster may take longer than a command.
        commandTimeout: REDIS_NODE_TIMEOUT_MS,
        ...createClusterRefusalOptions(onRefusal),
        ...access,
      },
    });
    // ioredis connects with the first command to a node, and connecting would exceed that command's timeout.
    this.on('+node', (node: Redis) => {
      if (!node.options.readOnly) node.connect().catch(() => undefined); // commands to this node fail then
    });
  }

  override sendCommand(...[command, ...rest]: Parameters<Cluster['sendCommand']>): unknown {
    if (!isClusterQuery(command)) command.setTimeout(this.commandTimeoutMs);
    return super.sendCommand(command, ...rest);
  }
}

/** ioredis sends its own CLUSTER SLOTS through `sendCommand`, too. */
const isClusterQuery = ({ name }: Command): boolean => name === 'cluster';

export interface FailFastEvents {
  readonly onRefusal?: OnRefusal;
  /** Called with the reason of each failed attempt to connect, which the errors of commands do not have. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * Connects to a Redis that the app can work without: commands fail at once while it is unavailable and are never retried.
 * Connects anew when a single server refuses a write, as an old primary does after a failover.
 * @param url a REDIS_URL: one server, or nodes of a cluster
 */
export function createFailFastRedis(
  url: string,
  commandTimeoutMs: number,
  { onRefusal, onConnectionError = () => undefined }: FailFastEvents = {},
): Redis | Cluster {
  const { nodes, isCluster, access } = parseRedisUrl(url);
  const redis = isCluster
    ? new FailFastCluster(nodes, access, commandTimeoutMs, onRefusal)
    : new Redis({
        ...REDIS_FAIL_FAST_OPTIONS,
        ...createReconnectOptions({ retryStrategy: REDIS_FAIL_FAST_OPTIONS.retryStrategy, onRefusal }),
        commandTimeout: commandTimeoutMs,
        ...nodes[0],
        ...access,
      });
  // Each failed command rejects; an error event without a listener would end the process.
  redis.on('error', onConnectionError);
  return redis;
}
