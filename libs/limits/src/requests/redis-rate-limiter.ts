import type { RequestLimits } from '@app/dto';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { toCalendarMonth } from './calendar-month.js';
import { Cooldowns } from './cooldowns.js';
import { GatewayInstanceCounter } from './gateway-instance-counter.js';
import { OfflineMonthlyQuota } from './offline-monthly-quota.js';
import { RateLimit } from '../rate-limit.js';
import { type RateLimiterEvents, type RateLimitResult, RateLimiter } from './rate-limiter.js';
import { NO_PER_SECOND_LIMIT, RATE_LIMIT_SCRIPT, rateLimitReply } from './redis-rate-limit-script.js';
import type { WindowResult } from '../rate-limit.js';

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
