import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { GatewayInstanceCounter } from './gateway-instance-counter.js';
import { OfflineMonthlyQuota } from './offline-monthly-quota.js';
import { Cooldowns } from './cooldowns.js';
import { NO_PER_SECOND_LIMIT, RATE_LIMIT_SCRIPT, rateLimitReply } from './redis-rate-limit-script.js';
import { type TenantLimits, type RateLimitResult, RateLimiter } from './rate-limiter.js';
import { PerSecondLimiter } from './per-second-limiter.js';
import type { WindowResult } from './sliding-window-log.js';

const COMMAND = 'gatehouseLimit';

/** As the script keeps it: a month's number and a count, or nothing yet. */
const storedMonth = z.tuple([z.coerce.number(), z.coerce.number()]);

type LimitCommand = (second: string, month: string, ...limits: number[]) => Promise<unknown>;

export interface RedisRateLimiterEvents {
  /** Redis failed or was too slow; requests are admitted from memory meanwhile. */
  onStoreFailure: (error: unknown) => void;
}

/** Exact over all gateways, in Redis. While it is away each gateway admits its share from memory and books it later. */
export class RedisRateLimiter extends RateLimiter {
  private readonly seconds: PerSecondLimiter;
  private readonly months: OfflineMonthlyQuota;
  private readonly siblings: GatewayInstanceCounter;
  private readonly command: LimitCommand;
  private readonly pauses: Cooldowns;

  /** @param redis a connection whose commands fail in time, of this object's own */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly events: RedisRateLimiterEvents,
  ) {
    super();
    this.seconds = new PerSecondLimiter();
    this.months = new OfflineMonthlyQuota();
    this.siblings = new GatewayInstanceCounter(redis);
    this.pauses = new Cooldowns(redis);
    redis.defineCommand(COMMAND, { numberOfKeys: 2, lua: RATE_LIMIT_SCRIPT });
    const commands = redis as unknown as Record<typeof COMMAND, LimitCommand>;
    this.command = (...args) => commands[COMMAND](...args);
  }

  /** How many gateways share the limits, this one included, as Redis last had it. */
  get instanceCount(): number {
    return this.siblings.instanceCount;
  }

  async take(holderId: string, { perSecond, perMonth }: TenantLimits): Promise<RateLimitResult> {
    const windows = await this.askRedis(holderId, perSecond, perMonth);
    if (!windows) return this.takeFromMemory(holderId, { perSecond, perMonth });
    // Remembered here, too: the share from memory starts where Redis left off.
    if (windows.second.admitted) this.seconds.take(holderId, perSecond);
    return windows;
  }

  async takeMonthly(holderId: string, perMonth: number): Promise<WindowResult> {
    const windows = await this.askRedis(holderId, NO_PER_SECOND_LIMIT, perMonth);
    return windows?.month ?? this.months.take(holderId, perMonth, this.instanceCount);
  }

  async getMonthlyUsage(holderId: string): Promise<number> {
    const stored = await this.redis.hmget(`{gatehouse:limit:${holderId}}:month`, 'month', 'used');
    const [month, used] = storedMonth.parse(stored);
    const now = new Date();
    return month === now.getUTCFullYear() * 12 + now.getUTCMonth() ? used : 0;
  }

  async close(): Promise<void> {
    await this.siblings.close();
    this.redis.disconnect();
  }

  /** Undefined when Redis did not count it. */
  private async askRedis(
    holderId: string,
    perSecond: number,
    perMonth: number,
  ): Promise<RateLimitResult | undefined> {
    const tag = `{gatehouse:limit:${holderId}}`;
    if (this.pauses.isActive(tag)) return undefined;
    const debt = this.months.takeUnsynced(holderId);
    try {
      const { used: known, endMs: knownEndMs } = this.months.getStoredUsage(holderId);
      const args = [perSecond, perMonth, debt, known, knownEndMs];
      const reply = await this.command(`${tag}:second`, `${tag}:month`, ...args);
      const [second, left, resetMs, month, used, endMs] = rateLimitReply.parse(reply);
      this.months.recordStoredUsage(holderId, used, endMs);
      const remaining = Math.max(0, perMonth - used);
      return {
        second: { admitted: second === 1, limit: perSecond, remaining: left, resetMs },
        month: { admitted: month === 1, limit: perMonth, remaining, resetMs: endMs },
      };
    } catch (error) {
      this.months.addUnsynced(holderId, debt);
      this.pauses.start(tag);
      this.events.onStoreFailure(error);
      return undefined;
    }
  }

  private takeFromMemory(holderId: string, { perSecond, perMonth }: TenantLimits): RateLimitResult {
    const { instanceCount } = this;
    const second = this.seconds.take(holderId, Math.max(1, Math.floor(perSecond / instanceCount)));
    second.limit = perSecond;
    if (!second.admitted) return { second, month: this.months.peek(holderId, perMonth) };
    return { second, month: this.months.take(holderId, perMonth, instanceCount) };
  }
}
