import {
  createClusterRefusalOptions,
  createReconnectOptions,
  type OnRefusal,
  type ParsedRedisUrl,
  REDIS_CLUSTER_OPTIONS,
  parseRedisUrl,
} from '@app/config';
import type { ClusterOptions, RedisOptions as IoRedisOptions } from 'ioredis';
import { CloseableCluster, CloseableRedis, fetchInfoWithRetry } from '../reach-ins/closeable-redis.js';
import { createIORedisClient, RedisConnection, type RedisOptions } from 'bullmq';
import type { QueueConfig } from '../queue.config.js';
import { type QueueBackend, WriteRefusedError } from './queue-backend.js';
import { RedisProbe } from './redis-probe.js';

const RETRY_DELAY_MS = 250;

/** Fails a command whose node is unavailable. */
const FAIL_FAST_CLUSTER_OPTIONS: ClusterOptions = {
  maxRedirections: 3,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
};
/** Retries a command until its node is available. */
const RETRY_FOREVER_CLUSTER_OPTIONS: ClusterOptions = {
  maxRedirections: Infinity,
  retryDelayOnFailover: RETRY_DELAY_MS,
  retryDelayOnClusterDown: RETRY_DELAY_MS,
};

/**
 * The only place where queues connect to Redis. Commands of workers, which retry forever, are sent again after a refused write: BullMQ would
 * fetch jobs again without a pause. A cluster redirects writes to the new primary itself.
 * @param options for a single server; a cluster's are derived from them
 */
function createRedisConnection(
  { nodes, isCluster, access }: ParsedRedisUrl,
  options: IoRedisOptions & { retryStrategy: (times: number) => number },
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
    ...(options.maxRetriesPerRequest === null ? RETRY_FOREVER_CLUSTER_OPTIONS : FAIL_FAST_CLUSTER_OPTIONS),
    clusterRetryStrategy: retryStrategy,
    ...REDIS_CLUSTER_OPTIONS,
    redisOptions: { ...nodeOptions, ...createClusterRefusalOptions(onRefusal), ...access },
  });
}

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 1_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS);

const SHARED_OPTIONS: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  keepAlive: 10_000,
  retryStrategy,
};
const FAIL_FAST_OPTIONS: RedisOptions = {
  ...SHARED_OPTIONS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
};

/** A backend on one server or a cluster, as REDIS_URL says. */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly producerConnection: RedisOptions;
  readonly workerConnection: RedisOptions;
  readonly prefix: string;
  private readonly servers;
  private readonly redisProbe: RedisProbe;
  /** The time at which each connection was last open. */
  private readonly connections = new Map<CloseableRedis, number>();
  /** The time at which Redis began to refuse writes; undefined while it takes them. */
  private refusedSinceMs: number | undefined;

  constructor(
    url: string,
    config: Pick<QueueConfig, 'QUEUE_PREFIX' | 'QUEUE_ENQUEUE_TIMEOUT_MS'>,
    private readonly onRefusal: OnRefusal,
  ) {
    this.servers = parseRedisUrl(url);
    this.prefix = config.QUEUE_PREFIX;
    this.workerConnection = { ...SHARED_OPTIONS, maxRetriesPerRequest: null };
    this.producerConnection = { ...FAIL_FAST_OPTIONS, commandTimeout: config.QUEUE_ENQUEUE_TIMEOUT_MS };
    const redis = createRedisConnection(
      this.servers,
      { ...FAIL_FAST_OPTIONS, retryStrategy, commandTimeout: COMMAND_TIMEOUT_MS },
      onRefusal,
    );
    this.redisProbe = new RedisProbe(redis, this.prefix, COMMAND_TIMEOUT_MS);
  }

  install(): void {
    RedisConnection.clientFactory = (options) => {
      const redis = createRedisConnection(this.servers, { ...options, retryStrategy }, this.onRefusal);
      if (redis instanceof CloseableRedis) this.track(redis);
      const client = createIORedisClient(redis);
      if (redis instanceof CloseableCluster) client.info = () => fetchInfoWithRetry(redis);
      return client;
    };
  }

  async probe(): Promise<void> {
    try {
      await this.redisProbe.probe();
      this.refusedSinceMs = undefined;
    } catch (error) {
      if (error instanceof WriteRefusedError) this.reconnectFromReplica(error);
      else this.refusedSinceMs = undefined;
      throw error;
    }
  }

  close(): Promise<void> {
    this.redisProbe.close();
    return Promise.resolve();
  }

  private track(redis: CloseableRedis): void {
    this.connections.set(redis, performance.now());
    redis.on('ready', () => this.connections.set(redis, performance.now()));
    redis.on('end', () => this.connections.delete(redis));
  }

  /**
   * A connection that is idle would notice with its next command, which is rejected: an enqueued job would wait for a sweeper. A replica has
   * executed none of the commands that are in flight. A connection that was made since may have reached the new primary, which would execute
   * them twice.
   */
  private reconnectFromReplica({ message }: WriteRefusedError): void {
    if (!/READONLY|MASTERDOWN/.test(message)) return;
    this.refusedSinceMs ??= performance.now();
    for (const [redis, connectedAtMs] of this.connections)
      if (redis.status === 'ready' && connectedAtMs < this.refusedSinceMs) redis.disconnect(true);
  }
}
