import type { RedisNode, RedisServers } from '@app/config';
import { Cluster, type Command, type Redis } from 'ioredis';
import { CONNECTION } from './connection.js';

/** What the client asks nodes on its own account may take longer than a command. */
const NODE_SILENCE_MS = 1_000;
/** How soon it hears of nodes that came or went, when no command finds out before. */
const LOOK_AROUND_MS = 5_000;

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
      slotsRefreshInterval: LOOK_AROUND_MS,
      slotsRefreshTimeout: NODE_SILENCE_MS,
      // Certificates name hosts, and a host may move: the name is looked up by whoever connects.
      dnsLookup: (host, done) => {
        done(null, host);
      },
      redisOptions: {
        connectTimeout,
        keepAlive,
        autoResendUnfulfilledCommands,
        maxRetriesPerRequest,
        commandTimeout: NODE_SILENCE_MS,
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
