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

/** Both or neither: counts that were left without an end would stay for ever. */
const COUNT_SCRIPT = `
redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
return redis.call('EXPIRE', KEYS[1], ARGV[3])
`;
const RETENTION_SECONDS = (REFUSAL_RETENTION_HOURS + 1) * 3_600;

const formatHourKey = (holderId: string, hour: number): string =>
  `{gatehouse:limit:${holderId}}:refusals:${hour}`;

/**
 * For several gateways. Counts are gathered for a second: who is refused a thousand times in it costs one write. What
 * cannot be written is lost: these numbers explain, nothing depends on them.
 */
export class RedisRefusalStore extends RefusalStore {
  private pending = new Map<string, { key: string; name: string; count: number }>();
  private readonly timer: NodeJS.Timeout;

  /** @param redis a connection whose commands fail in time, of this object's own */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly onStoreFailure: (error: unknown) => void,
  ) {
    super();
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  record(holderId: string, clientId: string, code: string): void {
    const key = formatHourKey(holderId, toHour(Date.now()));
    const name = formatRefusalKey(clientId, code);
    const known = this.pending.get(`${key} ${name}`);
    if (known) known.count += 1;
    else if (this.pending.size < MAX_PENDING) this.pending.set(`${key} ${name}`, { key, name, count: 1 });
  }

  async listRecent(holderId: string): Promise<RefusalCount[]> {
    await this.flush();
    const hours = listRetainedHours(Date.now());
    const found = await Promise.all(hours.map((hour) => this.redis.hgetall(formatHourKey(holderId, hour))));
    return found.flatMap((counts, at) =>
      Object.entries(storedCounts.parse(counts)).map(([name, count]) =>
        toRefusalCount(hours[at] ?? 0, name, count),
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
        writes.map(({ key, name, count }) =>
          this.redis.eval(COUNT_SCRIPT, 1, key, name, count, RETENTION_SECONDS),
        ),
      );
    } catch (error) {
      this.onStoreFailure(error);
    }
  }
}
