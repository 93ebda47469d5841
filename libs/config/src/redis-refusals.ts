import { Counter, type Registry } from 'prom-client';

interface RedisRefusal {
  /** Completes "Redis refuses writes: ". */
  readonly reason: string;
  /**
   * Whether a new connection to the same address may reach another server, which takes writes. Apps whose acknowledged work is in queues
   * are not ready meanwhile. After any other refusal every instance would reach the same server again, so that an app that is not ready
   * would only stop what it can do without Redis.
   */
  readonly reconnects: boolean;
  /** The client of a Redis Cluster follows it without the app: only a client of a single server was refused. */
  readonly isRedirection?: true;
}

/** Each code with which Redis answers a command, and does not execute it, because of the state of the server instead of the command. */
export const REDIS_REFUSALS = {
  READONLY: { reason: 'it is a replica', reconnects: true },
  MASTERDOWN: { reason: 'it is a replica without its primary', reconnects: true },
  LOADING: { reason: 'it loads its data, or copies those of another primary', reconnects: true },
  NOREPLICAS: { reason: 'fewer replicas are connected than min-replicas-to-write', reconnects: true },
  // Followed by a failover where one is set up.
  MISCONF: { reason: 'it cannot write to its disk', reconnects: true },
  OOM: { reason: 'its memory is full (maxmemory)', reconnects: false },
  BUSY: { reason: 'a script or function occupies it', reconnects: false },
  CLUSTERDOWN: { reason: 'nodes of the cluster are missing', reconnects: false },
  TRYAGAIN: { reason: 'keys move between nodes of the cluster', reconnects: false },
  MOVED: {
    reason: 'it is one node of a Redis Cluster, of which REDIS_URL has to name two or more',
    reconnects: false,
    isRedirection: true,
  },
  ASK: { reason: 'keys move between nodes of the cluster', reconnects: false, isRedirection: true },
} satisfies Record<string, RedisRefusal>;

export type RedisRefusalCode = keyof typeof REDIS_REFUSALS;

/** A script's error names the command's code: Redis 7 at its beginning, Redis 6 behind "ERR Error running script …". */
const REFUSAL_CODE = new RegExp(`(?:^|\\s-?)(${Object.keys(REDIS_REFUSALS).join('|')})\\s`);

const FIRST_RECONNECT_MS = 50;
/** A Redis that goes on refusing is asked again at this pace by each connection. */
const NEXT_RECONNECT_MS = 1_000;
const REPEATED_WITHIN_MS = 5_000;

/** The error code of a Redis that refused a write for its own state; undefined for every other error. */
export const findRefusalCode = (error: unknown): RedisRefusalCode | undefined =>
  hasMessage(error) ? (REFUSAL_CODE.exec(error.message)?.[1] as RedisRefusalCode | undefined) : undefined;

const hasMessage = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

export const findRefusal = (code: RedisRefusalCode): RedisRefusal => REDIS_REFUSALS[code];

/** Called with the code of each refusal. */
export type OnRefusal = (code: RedisRefusalCode) => void;

export interface ReconnectOptions {
  /** Pauses between attempts to connect to a Redis that is away. */
  retryStrategy: (times: number) => number | null;
  /** Whether a refused command is sent again on the new connection, instead of being rejected. */
  resends?: boolean | undefined;
  onRefusal?: OnRefusal | undefined;
}

/** ioredis options of one connection to a single server, which reconnects when the server refuses a write. */
export function createReconnectOptions({ retryStrategy, resends = false, onRefusal }: ReconnectOptions) {
  let isRefused = false;
  let reconnectedAtMs = -Infinity;
  return {
    reconnectOnError: (error: Error): boolean | 1 | 2 => {
      const code = findRefusalCode(error);
      if (code === undefined) return false;
      onRefusal?.(code);
      if (!findRefusal(code).reconnects) return false;
      isRefused = true;
      return resends ? 2 : 1;
    },
    retryStrategy: (times: number): number | null => {
      if (!isRefused) return retryStrategy(times);
      isRefused = false;
      const isRepeated = performance.now() - reconnectedAtMs < REPEATED_WITHIN_MS;
      reconnectedAtMs = performance.now();
      return isRepeated ? NEXT_RECONNECT_MS : FIRST_RECONNECT_MS;
    },
  };
}

/**
 * ioredis options of each connection to a node of a cluster, whose client looks for the primary itself and sends commands again where it
 * was told to.
 */
export const createClusterRefusalOptions = (onRefusal?: OnRefusal) => ({
  reconnectOnError: (error: Error): false => {
    const code = findRefusalCode(error);
    if (code !== undefined && !findRefusal(code).isRedirection) onRefusal?.(code);
    return false;
  },
});

const counters = new WeakMap<Registry, OnRefusal>();

/** Counts refused writes in the registry of an app, whose connections share the counter. */
export function createRefusalCounter(registry: Registry): OnRefusal {
  const known = counters.get(registry);
  if (known) return known;
  const counter = new Counter({
    name: 'redis_write_refusals_total',
    help: 'Commands that a Redis refused because of its own state, by the code of its answer.',
    labelNames: ['code'] as const,
    registers: [registry],
  });
  const count = (code: RedisRefusalCode): void => {
    counter.inc({ code });
  };
  counters.set(registry, count);
  return count;
}
