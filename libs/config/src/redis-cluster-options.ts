/** Timeout of commands that a client sends to single nodes of a Redis Cluster. */
export const REDIS_NODE_TIMEOUT_MS = 1_000;

/** Options of ioredis' Cluster for node discovery. */
export const REDIS_CLUSTER_OPTIONS = {
  /** Upper bound for detecting added and removed nodes; a failed command detects them earlier. */
  slotsRefreshInterval: 5_000,
  slotsRefreshTimeout: REDIS_NODE_TIMEOUT_MS,
  // Keeps the host name for each connection: certificates contain it, and its IP address may change.
  dnsLookup: (host: string, done: (error: null, address: string) => void): void => {
    done(null, host);
  },
};

const MAX_RETRY_DELAY_MS = 500;

/** ioredis options for commands that fail at once while Redis is unavailable, instead of being queued. */
export const REDIS_FAIL_FAST_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * times, MAX_RETRY_DELAY_MS),
};
