import { type OnRefusal, parseRedisUrl } from '@app/config';
import { createIORedisClient, RedisConnection, type RedisOptions } from 'bullmq';
import type { QueueConfig } from '../queue.config.js';
import { fetchInfoWithRetry } from '../workarounds/fetch-info-with-retry.js';
import { CloseableCluster } from '../workarounds/closeable-cluster.js';
import { CloseableRedis } from '../workarounds/closeable-redis.js';
import type { QueueBackend } from './queue-backend.js';
import { createRedisConnection } from './create-redis-connection.js';
import { WriteRefusedError } from './write-refused.error.js';
import { RedisProbe } from './redis-probe.js';

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
