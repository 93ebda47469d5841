import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const KEY = '{gatehouse}:gateways';
const INTERVAL_MS = 1_000;
const FORGET_MS = 5_000;

/** How many gateways share the limits, so that each knows its share when they cannot talk to each other. */
export class GatewayCount {
  private readonly id = randomUUID();
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private known = 1;

  constructor(private readonly redis: Redis) {
    this.loop = this.announce();
  }

  /** As Redis last had it. */
  get gateways(): number {
    return this.known;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.loop;
    // Who cannot say goodbye is forgotten by itself.
    await this.redis.zrem(KEY, this.id).catch(() => undefined);
  }

  private async announce(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.count().catch(() => undefined); // the limits say when Redis is away
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async count(): Promise<void> {
    const [seconds] = await this.redis.time();
    const nowMs = Number(seconds) * 1_000;
    await this.redis.zadd(KEY, nowMs, this.id);
    await this.redis.zremrangebyscore(KEY, '-inf', nowMs - FORGET_MS);
    await this.redis.pexpire(KEY, 60_000);
    this.known = Math.max(1, await this.redis.zcard(KEY));
  }
}
