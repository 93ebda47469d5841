import { parseRedisUrl } from '@app/config';
import { createIORedisClient, RedisConnection, type RedisOptions } from 'bullmq';
import type { QueueConfig } from '../queue-config.js';
import { patientInfo } from './patient-info.js';
import { PromptCluster } from './prompt-cluster.js';
import type { QueueBackend } from './queue-backend.js';
import { queueRedis } from './queue-redis.js';
import { RedisProbe } from './redis-probe.js';

const CONNECT_TIMEOUT_MS = 2_000;
const SILENCE_MS = 2_000;
const LONGEST_PAUSE_MS = 1_000;

const SHARED: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS),
};
const FAIL_FAST: RedisOptions = { ...SHARED, enableOfflineQueue: false, maxRetriesPerRequest: 0 };

/** One server or a cluster, whatever REDIS_URL names. */
export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly producerConnection: RedisOptions;
  readonly workerConnection: RedisOptions;
  readonly prefix: string;
  private readonly servers;
  private readonly watcher: RedisProbe;

  constructor(url: string, config: Pick<QueueConfig, 'QUEUE_PREFIX' | 'QUEUE_ENQUEUE_TIMEOUT_MS'>) {
    this.servers = parseRedisUrl(url);
    this.prefix = config.QUEUE_PREFIX;
    this.workerConnection = { ...SHARED, maxRetriesPerRequest: null };
    this.producerConnection = { ...FAIL_FAST, commandTimeout: config.QUEUE_ENQUEUE_TIMEOUT_MS };
    const redis = queueRedis(this.servers, { ...FAIL_FAST, commandTimeout: SILENCE_MS });
    this.watcher = new RedisProbe(redis, this.prefix, SILENCE_MS);
  }

  install(): void {
    RedisConnection.clientFactory = (options) => {
      const redis = queueRedis(this.servers, options);
      const client = createIORedisClient(redis);
      if (redis instanceof PromptCluster) client.info = () => patientInfo(redis);
      return client;
    };
  }

  probe(): Promise<void> {
    return this.watcher.probe();
  }

  close(): Promise<void> {
    this.watcher.close();
    return Promise.resolve();
  }
}
