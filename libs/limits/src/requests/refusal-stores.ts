import { HOUR_MS, boundEntries, HOUR_SECONDS } from '@app/common';
import type { RefusalCount } from '@app/dto';
import { LRUCache } from 'lru-cache';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';

/** Hours of refusals that are retained, the current one included. */
const REFUSAL_RETENTION_HOURS = 24;

/** Counts refused requests of each tenant by hour, client application and error code, for the tenant's usage report. */
export abstract class RefusalStore {
  /** Counts one refusal. Never throws. */
  abstract record(tenantId: string, clientId: string, code: string): void;
  /** Counts of the last 24 hours, newest first. Rejects when the store is unavailable. */
  abstract listRecent(tenantId: string): Promise<RefusalCount[]>;
  /** Writes the counts that are not stored yet. */
  abstract close(): Promise<void>;
}

/** Hours since 1970. */
const toHour = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The retained hours, newest first. */
const listRetainedHours = (nowMs: number): number[] =>
  Array.from({ length: REFUSAL_RETENTION_HOURS }, (_, ago) => toHour(nowMs) - ago);

/** The space separates safely: client ids and codes contain none. */
const formatRefusalKey = (clientId: string, code: string): string => `${clientId} ${code}`;

function toRefusalCount(hour: number, refusalKey: string, count: number): RefusalCount {
  const [clientId = '', code = ''] = refusalKey.split(' ');
  return { hour: new Date(hour * HOUR_MS).toISOString(), clientId, code, count };
}

const MAX_TENANTS = 10_000;

/** Counts refusals of a single gateway. Counts are lost when it stops. */
export class MemoryRefusalStore extends RefusalStore {
  /** Per tenant: counts by hour and refusal key. */
  private readonly tenants = new LRUCache<string, Map<number, Map<string, number>>>(
    boundEntries(MAX_TENANTS),
  );

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  record(tenantId: string, clientId: string, code: string): void {
    const hour = toHour(this.now());
    const hours = this.tenants.get(tenantId) ?? new Map<number, Map<string, number>>();
    let counts = hours.get(hour);
    if (!counts) {
      hours.set(hour, (counts = new Map<string, number>()));
      const retained = new Set(listRetainedHours(this.now()));
      for (const old of hours.keys()) if (!retained.has(old)) hours.delete(old);
    }
    const key = formatRefusalKey(clientId, code);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    this.tenants.set(tenantId, hours);
  }

  listRecent(tenantId: string): Promise<RefusalCount[]> {
    const hours = this.tenants.get(tenantId);
    const counts = listRetainedHours(this.now()).flatMap((hour) =>
      [...(hours?.get(hour) ?? [])].map(([key, count]) => toRefusalCount(hour, key, count)),
    );
    return Promise.resolve(counts);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const FLUSH_INTERVAL_MS = 1_000;
const MAX_PENDING = 10_000;

const storedCounts = z.record(z.string(), z.string().regex(/^\d+$/).transform(Number));

/** Atomic, because a count without an expiry would never be deleted. */
const INCREMENT_SCRIPT = `
redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
return redis.call('EXPIRE', KEYS[1], ARGV[3])
`;
const RETENTION_SECONDS = (REFUSAL_RETENTION_HOURS + 1) * HOUR_SECONDS;

const formatHourKey = (tenantId: string, hour: number): string =>
  `{gatehouse:limit:${tenantId}}:refusals:${hour}`;

/**
 * Counts refusals of several gateways. Writes counts once a second, so that a thousand refusals of one kind cost one
 * write. Counts that cannot be written are dropped, because nothing but a report reads them.
 */
export class RedisRefusalStore extends RefusalStore {
  private pending = new Map<string, { hourKey: string; field: string; count: number }>();
  private readonly timer: NodeJS.Timeout;

  /** @param redis a connection of its own whose commands time out */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly onStoreFailure: (error: unknown) => void,
  ) {
    super();
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  record(tenantId: string, clientId: string, code: string): void {
    const hourKey = formatHourKey(tenantId, toHour(Date.now()));
    const field = formatRefusalKey(clientId, code);
    const pendingKey = `${hourKey} ${field}`;
    const existing = this.pending.get(pendingKey);
    if (existing) existing.count += 1;
    else if (this.pending.size < MAX_PENDING) this.pending.set(pendingKey, { hourKey, field, count: 1 });
  }

  async listRecent(tenantId: string): Promise<RefusalCount[]> {
    await this.flush();
    const hours = listRetainedHours(Date.now());
    const stored = await Promise.all(hours.map((hour) => this.redis.hgetall(formatHourKey(tenantId, hour))));
    return stored.flatMap((counts, index) =>
      Object.entries(storedCounts.parse(counts)).map(([field, count]) =>
        toRefusalCount(hours[index] ?? 0, field, count),
      ),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    this.redis.disconnect();
  }

  private async flush(): Promise<void> {
    const writes = [...this.pending.values()];
    this.pending = new Map();
    try {
      await Promise.all(
        writes.map(({ hourKey, field, count }) =>
          this.redis.eval(INCREMENT_SCRIPT, 1, hourKey, field, count, RETENTION_SECONDS),
        ),
      );
    } catch (error) {
      this.onStoreFailure(error);
    }
  }
}
