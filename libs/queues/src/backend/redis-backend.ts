import { parseRedisUrl } from '@app/config';
import { createIORedisClient, RedisConnection, type RedisOptions } from 'bullmq';
import type { QueueConfig } from '../queue.config.js';
import { fetchInfoWithRetry } from '../workarounds/fetch-info-with-retry.js';
import { CloseableCluster } from '../workarounds/closeable-cluster.js';
import type { QueueBackend } from './queue-backend.js';
import { createRedisConnection } from './create-redis-connection.js';
import { RedisProbe } from './redis-probe.js';

const CONNECT_TIMEOUT_MS = 2_000;
const COMMAND_TIMEOUT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 1_000;

const SHARED_OPTIONS: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_DELAY_MS),
};
const FAIL_FAST_OPTIONS: RedisOptions = {
  ...SHARED_OPTIONS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
};

/** One server or a cluster, as REDIS_URL says. */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly producerConnection: RedisOptions;
  readonly workerConnection: RedisOptions;
  readonly prefix: string;
  private readonly servers;
  private readonly redisProbe: RedisProbe;

  constructor(url: string, config: Pick<QueueConfig, 'QUEUE_PREFIX' | 'QUEUE_ENQUEUE_TIMEOUT_MS'>) {
    this.servers = parseRedisUrl(url);
    this.prefix = config.QUEUE_PREFIX;
    this.workerConnection = { ...SHARED_OPTIONS, maxRetriesPerRequest: null };
    this.producerConnection = { ...FAIL_FAST_OPTIONS, commandTimeout: config.QUEUE_ENQUEUE_TIMEOUT_MS };
    const redis = createRedisConnection(this.servers, {
      ...FAIL_FAST_OPTIONS,
      commandTimeout: COMMAND_TIMEOUT_MS,
    });
    this.redisProbe = new RedisProbe(redis, this.prefix, COMMAND_TIMEOUT_MS);
  }

  install(): void {
    RedisConnection.clientFactory = (options) => {
      const redis = createRedisConnection(this.servers, options);
      const client = createIORedisClient(redis);
      if (redis instanceof CloseableCluster) client.info = () => fetchInfoWithRetry(redis);
      return client;
    };
  }

  probe(): Promise<void> {
    return this.redisProbe.probe();
  }

  close(): Promise<void> {
    this.redisProbe.close();
    return Promise.resolve();
  }
}
