import { Redis, type RedisOptions } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
const LONGEST_PAUSE_MS = 500;

/**
 * A connection for what can be done without: a command fails at once when Redis is away, and is never sent twice.
 * @param commandTimeout after which a command counts as failed, in milliseconds
 */
export function failFastRedis(url: string, commandTimeout: number, more: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(50 * times, LONGEST_PAUSE_MS),
    commandTimeout,
    ...more,
  });
  // Whoever sends a command hears of it; between commands nobody has to.
  redis.on('error', () => undefined);
  return redis;
}
