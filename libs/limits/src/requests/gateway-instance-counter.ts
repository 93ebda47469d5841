import { MINUTE_MS } from '@app/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';

const INSTANCES_KEY = '{gatehouse}:gateways';
const HEARTBEAT_INTERVAL_MS = 1_000;
const HEARTBEAT_EXPIRY_MS = 5_000;
const KEY_EXPIRY_MS = MINUTE_MS;

/**
 * Records a heartbeat, by the clock of the Redis node that holds the key.
 * ARGV: id of the gateway instance. Returns: the number of instances with a recent heartbeat.
 */
const HEARTBEAT_SCRIPT = `
local clock = redis.call('TIME')
local ms = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
redis.call('ZADD', KEYS[1], ms, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ${HEARTBEAT_EXPIRY_MS})
redis.call('PEXPIRE', KEYS[1], ${KEY_EXPIRY_MS})
return redis.call('ZCARD', KEYS[1])
`;

/** Counts the gateway instances, so that each knows its share of a limit while Redis is unavailable. */
export class GatewayInstanceCounter {
  private readonly id = randomUUID();
  private readonly stop = new AbortController();
  private readonly loop: Promise<void>;
  private lastCount = 1;

  constructor(private readonly redis: Redis | Cluster) {
    this.loop = this.runLoop();
  }

  /** The last count that Redis returned. */
  get instanceCount(): number {
    return this.lastCount;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.loop;
    // An instance that cannot remove itself expires.
    await this.redis.zrem(INSTANCES_KEY, this.id).catch(() => undefined);
  }

  private async runLoop(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.sendHeartbeat().catch(() => undefined); // the rate limiter reports failures of Redis
      await sleep(HEARTBEAT_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sendHeartbeat(): Promise<void> {
    const count = z.int().parse(await this.redis.eval(HEARTBEAT_SCRIPT, 1, INSTANCES_KEY, this.id));
    this.lastCount = Math.max(1, count);
  }
}
