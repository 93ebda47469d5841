import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';

const INSTANCES_KEY = '{gatehouse}:gateways';
const HEARTBEAT_INTERVAL_MS = 1_000;
const HEARTBEAT_EXPIRY_MS = 5_000;
const KEY_EXPIRY_MS = 60_000;

/** By the clock of the server that has the key. ARGV: who is there. Returns how many are. */
const COUNT_SCRIPT = `
local clock = redis.call('TIME')
local ms = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
redis.call('ZADD', KEYS[1], ms, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ${HEARTBEAT_EXPIRY_MS})
redis.call('PEXPIRE', KEYS[1], ${KEY_EXPIRY_MS})
return redis.call('ZCARD', KEYS[1])
`;

/** How many gateways share the limits, so that each knows its share when they cannot talk to each other. */
export class GatewayInstanceCounter {
  private readonly id = randomUUID();
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private known = 1;

  constructor(private readonly redis: Redis | Cluster) {
    this.loop = this.announce();
  }

  /** As Redis last had it. */
  get instanceCount(): number {
    return this.known;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.loop;
    // Who cannot say goodbye is forgotten by itself.
    await this.redis.zrem(INSTANCES_KEY, this.id).catch(() => undefined);
  }

  private async announce(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.count().catch(() => undefined); // the limits say when Redis is away
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async count(): Promise<void> {
    const count = z.int().parse(await this.redis.eval(COUNT_SCRIPT, 1, INSTANCES_KEY, this.id));
    this.known = Math.max(1, count);
  }
}
