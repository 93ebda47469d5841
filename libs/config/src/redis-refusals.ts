import { Counter, type Registry } from 'prom-client';

/**
 * Error codes of a Redis that answers and takes no writes. A script's error names the command's code: Redis 7 at its beginning,
 * Redis 6 behind "ERR Error running script …".
 */
const REFUSAL_CODE = /(?:^|\s-?)(READONLY|MASTERDOWN|LOADING|NOREPLICAS|MISCONF|OOM)\s/;

/**
 * A new connection to the same address may reach another server, which takes writes: after a failover the old primary is a replica
 * (READONLY, MASTERDOWN, and LOADING while it copies the new one) or has lost its replicas (NOREPLICAS), and closes no connection. MISCONF
 * (a disk that is full) is followed by a failover where one is set up. A full Redis (OOM) stays the primary.
 */
const RECONNECT_CODES: readonly string[] = ['READONLY', 'MASTERDOWN', 'LOADING', 'NOREPLICAS', 'MISCONF'];

const FIRST_RECONNECT_MS = 50;
/** A Redis that goes on refusing is asked again at this pace by each connection. */
const NEXT_RECONNECT_MS = 1_000;
const REPEATED_WITHIN_MS = 5_000;

/** The error code of a Redis that refused a write for its own state; undefined for every other error. */
export const findRefusalCode = (error: unknown): string | undefined =>
  hasMessage(error) ? REFUSAL_CODE.exec(error.message)?.[1] : undefined;

const hasMessage = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

/** Whether a new connection may reach a server that takes writes. */
export const needsReconnect = (code: string): boolean => RECONNECT_CODES.includes(code);

export interface ReconnectOptions {
  /** Pauses between attempts to connect to a Redis that is away. */
  retryStrategy: (times: number) => number | null;
  /** Whether a refused command is sent again on the new connection, instead of being rejected. */
  resends?: boolean | undefined;
  onRefusal?: ((code: string) => void) | undefined;
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
      if (!needsReconnect(code)) return false;
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

const counters = new WeakMap<Registry, (code: string) => void>();

/** Counts refused writes in the registry of an app, whose connections share the counter. */
export function createRefusalCounter(registry: Registry): (code: string) => void {
  const known = counters.get(registry);
  if (known) return known;
  const counter = new Counter({
    name: 'redis_write_refusals_total',
    help: 'Commands that a Redis refused because it takes no writes, by the code of its answer.',
    labelNames: ['code'] as const,
    registers: [registry],
  });
  const count = (code: string): void => {
    counter.inc({ code });
  };
  counters.set(registry, count);
  return count;
}
