/** What a client asks nodes of a Redis Cluster on its own account may take this long. */
export const REDIS_NODE_TIMEOUT_MS = 1_000;

/** How every client of a Redis Cluster looks for its nodes: options of ioredis' Cluster. */
export const REDIS_CLUSTER_OPTIONS = {
  /** How soon it hears of nodes that came or went, when no command finds out before. */
  slotsRefreshInterval: 5_000,
  slotsRefreshTimeout: REDIS_NODE_TIMEOUT_MS,
  // Certificates name hosts, and a host may move: the name is looked up by whoever connects.
  dnsLookup: (host: string, done: (error: null, address: string) => void): void => {
    done(null, host);
  },
};

const MAX_RETRY_DELAY_MS = 500;

/** ioredis options of connections whose commands fail at once while Redis is away, instead of waiting in a queue. */
export const REDIS_FAIL_FAST_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * times, MAX_RETRY_DELAY_MS),
};
