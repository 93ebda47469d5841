/** What a client asks nodes of a Redis Cluster on its own account may take this long. */
export const REDIS_NODE_SILENCE_MS = 1_000;

/** How every client of a Redis Cluster looks for its nodes: options of ioredis' Cluster. */
export const REDIS_CLUSTER_LOOKS = {
  /** How soon it hears of nodes that came or went, when no command finds out before. */
  slotsRefreshInterval: 5_000,
  slotsRefreshTimeout: REDIS_NODE_SILENCE_MS,
  // Certificates name hosts, and a host may move: the name is looked up by whoever connects.
  dnsLookup: (host: string, done: (error: null, address: string) => void): void => {
    done(null, host);
  },
};
