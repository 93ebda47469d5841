import type { RedisOptions } from 'ioredis';

const LONGEST_PAUSE_MS = 500;

/** What all connections of shared state have in common: they do not hold anything back for better times. */
export const CONNECTION = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * times, LONGEST_PAUSE_MS),
} satisfies RedisOptions;
