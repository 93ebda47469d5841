import { REDIS_CLUSTER_LOOKS, REDIS_NODE_SILENCE_MS, type RedisNode, type RedisServers } from '@app/config';
import { Cluster, type Command, type Redis } from 'ioredis';
import { CONNECTION } from './connection.js';

const { connectTimeout, keepAlive, autoResendUnfulfilledCommands, maxRetriesPerRequest } = CONNECTION;

/** A cluster whose commands fail at once where the node of their keys is away, and only there. */
export class FailFastCluster extends Cluster {
  constructor(
    nodes: RedisNode[],
    access: RedisServers['access'],
    private readonly commandTimeoutMs: number,
  ) {
    super(nodes, {
      enableOfflineQueue: CONNECTION.enableOfflineQueue,
      clusterRetryStrategy: CONNECTION.retryStrategy,
      // Where keys are moved about a command may follow them; it is not sent again to who may have done it.
      maxRedirections: 3,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      ...REDIS_CLUSTER_LOOKS,
      redisOptions: {
        connectTimeout,
        keepAlive,
        autoResendUnfulfilledCommands,
        maxRetriesPerRequest,
        // What the client asks on its own account may take longer than a command.
        commandTimeout: REDIS_NODE_SILENCE_MS,
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
