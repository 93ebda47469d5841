import { Cluster, Command, type Redis } from 'ioredis';
import { MINUTE_MS } from '@app/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RequestLimits } from '@app/dto';
import { toCalendarMonth } from './calendar-month.js';
import { OfflineMonthlyQuota } from './offline-monthly-quota.js';
import { RateLimit, type WindowResult } from '../rate-limit.js';
import { type RateLimiterEvents, type RateLimitResult, RateLimiter } from './rate-limiter.js';

const COOLDOWN_MS = 250;
const SINGLE_SERVER = '';

/** Pauses commands to a Redis node that failed a moment ago, so that no queue builds up in front of it. */
class Cooldowns {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly redis: Redis | Cluster) {}

  /** Starts the cooldown of the node that holds this key. */
  start(key: string): void {
    this.untilMs.set(this.nodeOf(key), performance.now() + COOLDOWN_MS);
  }

  isActive(key: string): boolean {
    if (this.untilMs.size === 0) return false;
    const node = this.nodeOf(key);
    const untilMs = this.untilMs.get(node);
    if (untilMs === undefined) return false;
    if (performance.now() < untilMs) return true;
    this.untilMs.delete(node);
    return false;
  }

  private nodeOf(key: string): string {
    if (!(this.redis instanceof Cluster)) return SINGLE_SERVER;
    const [master = SINGLE_SERVER] = this.redis.slots[new Command('exists', [key]).getSlot()] ?? [];
    return master;
  }
}

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
class GatewayInstanceCounter {
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

/** The limit of requests that count in the month only. */
const NO_PER_SECOND_LIMIT = 0;

/**
 * Counts one request of one tenant in both windows. The second goes by the clock of Redis, the month is the gateway's.
 *
 * KEYS, with one hash tag:
 *   1. a sorted set: the microseconds at which requests of the last second were admitted
 *   2. a hash: `month` (CalendarMonth.number) and `used`
 * ARGV:
 *   1. requests per second, 2. requests per month
 *   3. requests that were admitted from memory and are not counted yet
 *   4. CalendarMonth.number, 5. CalendarMonth.endMs
 *   6. usage of that month as the gateway last read it, for a Redis that lost its data
 * Returns: admitted by the second (0 or 1), left in it, milliseconds until it has room again; admitted by the month, used in it.
 */
const RATE_LIMIT_SCRIPT = `
local clock = redis.call('TIME')
local us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local per_second, per_month, unsynced = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local month_number, month_end, known = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', us - 1000000))
local inside = redis.call('ZCARD', KEYS[1])
local second = (per_second == 0 or inside < per_second) and 1 or 0
local reset_in = 0
if second == 1 and per_second > 0 then
  local at = string.format('%.0f', us)
  redis.call('ZADD', KEYS[1], at, at .. '-' .. inside)
  redis.call('PEXPIRE', KEYS[1], 1000)
  inside = inside + 1
end
if inside >= per_second then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if oldest then reset_in = math.ceil((tonumber(oldest) + 1000000 - us) / 1000) end
end

local stored = redis.call('HMGET', KEYS[2], 'month', 'used')
local stored_month, used = tonumber(stored[1]) or 0, tonumber(stored[2]) or 0
-- A gateway whose clock is behind counts in the month that another one has begun.
local is_behind = stored_month > month_number
if not is_behind then
  if stored_month < month_number then used = 0 end
  used = math.max(used, known)
end
local month = used + unsynced < per_month and 1 or 0
used = used + unsynced + (second == 1 and month == 1 and 1 or 0)
if used > 0 then
  if is_behind then
    redis.call('HSET', KEYS[2], 'used', used)
  else
    redis.call('HSET', KEYS[2], 'month', month_number, 'used', used)
    redis.call('PEXPIREAT', KEYS[2], month_end)
  end
end
return { second, math.max(0, per_second - inside), reset_in, month, used }
`;

const flag = z.union([z.literal(0), z.literal(1)]);

const rateLimitReply = z.tuple([flag, z.int(), z.int(), flag, z.int()]);

const COMMAND = 'gatehouseLimit';

/** The script's `month` and `used`; both coerce to 0 when the key does not exist. */
const storedMonth = z.tuple([z.coerce.number(), z.coerce.number()]);

type LimitCommand = (secondKey: string, monthKey: string, ...args: number[]) => Promise<unknown>;

/**
 * Exact over all gateways, in Redis. While Redis is unavailable each gateway admits its share from memory, and has it
 * counted afterwards.
 */
export class RedisRateLimiter extends RateLimiter {
  private readonly seconds = new RateLimit();
  private readonly months: OfflineMonthlyQuota;
  private readonly instances: GatewayInstanceCounter;
  private readonly command: LimitCommand;
  private readonly cooldowns: Cooldowns;

  /**
   * @param redis a connection of its own whose commands time out
   * @param now epoch milliseconds, which say what month it is and when a second has room again
   */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly events: RateLimiterEvents,
    private readonly now: () => number = Date.now,
  ) {
    super();
    this.months = new OfflineMonthlyQuota(now);
    this.instances = new GatewayInstanceCounter(redis);
    this.cooldowns = new Cooldowns(redis);
    redis.defineCommand(COMMAND, { numberOfKeys: 2, lua: RATE_LIMIT_SCRIPT });
    const commands = redis as unknown as Record<typeof COMMAND, LimitCommand>;
    this.command = (...args) => commands[COMMAND](...args);
  }

  /** Gateways that share the limits, this one included, as Redis last returned them. */
  get instanceCount(): number {
    return this.instances.instanceCount;
  }

  async take(tenantId: string, { perSecond, perMonth }: RequestLimits): Promise<RateLimitResult> {
    const result = await this.takeFromRedis(tenantId, perSecond, perMonth);
    if (!result) return this.takeOffline(tenantId, { perSecond, perMonth });
    // Counted in memory, too, so that an outage continues from here.
    if (result.second.admitted) this.seconds.take(tenantId, perSecond);
    return result;
  }

  async takeMonthly(tenantId: string, perMonth: number): Promise<WindowResult> {
    const result = await this.takeFromRedis(tenantId, NO_PER_SECOND_LIMIT, perMonth);
    return result?.month ?? this.months.take(tenantId, perMonth, this.instanceCount);
  }

  async getMonthlyUsage(tenantId: string): Promise<number> {
    const stored = await this.redis.hmget(`{gatehouse:limit:${tenantId}}:month`, 'month', 'used');
    const [month, used] = storedMonth.parse(stored);
    return month === toCalendarMonth(this.now()).number ? used : 0;
  }

  async close(): Promise<void> {
    await this.instances.close();
    this.redis.disconnect();
  }

  /** Undefined when Redis did not count the request. */
  private async takeFromRedis(
    tenantId: string,
    perSecond: number,
    perMonth: number,
  ): Promise<RateLimitResult | undefined> {
    const tag = `{gatehouse:limit:${tenantId}}`;
    if (this.cooldowns.isActive(tag)) return undefined;
    const { name, number, endMs } = toCalendarMonth(this.now());
    const unsynced = this.months.takeUnsynced(tenantId);
    try {
      const known = this.months.getStoredUsage(tenantId);
      const args = [perSecond, perMonth, unsynced, number, endMs, known];
      const reply = await this.command(`${tag}:second`, `${tag}:month`, ...args);
      const [second, left, resetInMs, month, used] = rateLimitReply.parse(reply);
      const resetMs = this.now() + resetInMs;
      this.months.recordStoredUsage(tenantId, name, used);
      const remaining = Math.max(0, perMonth - used);
      return {
        second: { admitted: second === 1, limit: perSecond, remaining: left, resetMs },
        month: { admitted: month === 1, limit: perMonth, remaining, resetMs: endMs },
      };
    } catch (error) {
      this.months.addUnsynced(tenantId, unsynced);
      this.cooldowns.start(tag);
      this.events.onStoreFailure(error);
      return undefined;
    }
  }

  private takeOffline(tenantId: string, { perSecond, perMonth }: RequestLimits): RateLimitResult {
    const { instanceCount } = this;
    const second = this.seconds.take(tenantId, Math.max(1, Math.floor(perSecond / instanceCount)));
    second.limit = perSecond;
    if (!second.admitted) return { second, month: this.months.peek(tenantId, perMonth) };
    return { second, month: this.months.take(tenantId, perMonth, instanceCount) };
  }
}
