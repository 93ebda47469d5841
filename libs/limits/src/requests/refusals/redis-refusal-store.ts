import { HOUR_SECONDS } from '@app/common';
import type { RefusalCount } from '@app/dto';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import {
  toHour,
  listRetainedHours,
  REFUSAL_RETENTION_HOURS,
  formatRefusalKey,
  RefusalStore,
  toRefusalCount,
} from './refusal-store.js';

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
