import { once } from 'node:events';
import { createIORedisClient, RedisConnection, type RedisOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type { QueueConfig } from '../queue-config.js';
import { checkEvictionPolicy } from './check-eviction-policy.js';
import { PromptRedis } from './prompt-redis.js';
import type { QueueBackend } from './queue-backend.js';

const CONNECTING: readonly string[] = ['connecting', 'connect'];
const CONNECT_TIMEOUT_MS = 2_000;
const SILENCE_MS = 2_000;
const LONGEST_PAUSE_MS = 1_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS);

export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  readonly producerConnection: RedisOptions;
  readonly workerConnection: RedisOptions;
  readonly prefix: string;
  private readonly probing: Redis;

  constructor(url: string, config: Pick<QueueConfig, 'QUEUE_PREFIX' | 'QUEUE_ENQUEUE_TIMEOUT_MS'>) {
    this.prefix = config.QUEUE_PREFIX;
    const shared = { url, connectTimeout: CONNECT_TIMEOUT_MS, keepAlive: 10_000, retryStrategy };
    this.workerConnection = { ...shared, maxRetriesPerRequest: null };
    const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0 };
    this.producerConnection = { ...shared, ...failFast, commandTimeout: config.QUEUE_ENQUEUE_TIMEOUT_MS };
    const { connectTimeout, keepAlive } = shared;
    this.probing = new Redis(url, {
      ...failFast,
      connectTimeout,
      keepAlive,
      retryStrategy,
      commandTimeout: SILENCE_MS,
    });
    // Its failures are what a probe reports.
    this.probing.on('error', () => undefined);
  }

  install(): void {
    RedisConnection.clientFactory = ({ url = '', ...options }) =>
      createIORedisClient(new PromptRedis(url, options));
  }

  async probe(): Promise<void> {
    if (!(await this.isConnected())) throw new Error('Redis cannot be reached');
    checkEvictionPolicy(await this.probing.info('memory'));
  }

  /** An attempt to connect that is under way may still succeed. */
  private async isConnected(): Promise<boolean> {
    if (CONNECTING.includes(this.probing.status)) await this.outcomeOfAttempt();
    return this.probing.status === 'ready';
  }

  private async outcomeOfAttempt(): Promise<void> {
    const known = new AbortController();
    const on = (event: string) => once(this.probing, event, { signal: known.signal });
    try {
      await Promise.race([on('ready'), on('close')]);
    } finally {
      known.abort();
    }
  }

  close(): Promise<void> {
    this.probing.disconnect();
    return Promise.resolve();
  }
}
