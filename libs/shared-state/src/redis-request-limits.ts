import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { GatewayCount } from './gateway-count.js';
import { MonthOnCredit } from './month-on-credit.js';
import { Pauses } from './pauses.js';
import { LEAVE_THE_SECOND_ALONE, LIMIT_SCRIPT, limitReply } from './redis-limit-script.js';
import { type HolderLimits, type HolderWindows, RequestLimits } from './request-limits.js';
import { SecondLimits } from './second-limits.js';
import type { WindowState } from './sliding-second.js';

const COMMAND = 'gatehouseLimit';

/** As the script keeps it: a month's number and a count, or nothing yet. */
const storedMonth = z.tuple([z.coerce.number(), z.coerce.number()]);

type LimitCommand = (second: string, month: string, ...limits: number[]) => Promise<unknown>;

export interface RedisLimitEvents {
  /** Redis failed or was too slow; requests are admitted from memory meanwhile. */
  onStoreFailure: (error: unknown) => void;
}

/** Exact over all gateways, in Redis. While it is away each gateway admits its share from memory and books it later. */
export class RedisRequestLimits extends RequestLimits {
  private readonly seconds: SecondLimits;
  private readonly months: MonthOnCredit;
  private readonly siblings: GatewayCount;
  private readonly command: LimitCommand;
  private readonly pauses: Pauses;

  /** @param redis a connection whose commands fail in time, of this object's own */
  constructor(
    private readonly redis: Redis | Cluster,
    private readonly events: RedisLimitEvents,
  ) {
    super();
    this.seconds = new SecondLimits();
    this.months = new MonthOnCredit();
    this.siblings = new GatewayCount(redis);
    this.pauses = new Pauses(redis);
    redis.defineCommand(COMMAND, { numberOfKeys: 2, lua: LIMIT_SCRIPT });
    const commands = redis as unknown as Record<typeof COMMAND, LimitCommand>;
    this.command = (...args) => commands[COMMAND](...args);
  }

  /** How many gateways share the limits, this one included, as Redis last had it. */
  get gateways(): number {
    return this.siblings.gateways;
  }

  async take(holderId: string, { perSecond, perMonth }: HolderLimits): Promise<HolderWindows> {
    const windows = await this.askRedis(holderId, perSecond, perMonth);
    if (!windows) return this.takeFromMemory(holderId, { perSecond, perMonth });
    // Remembered here, too: the share from memory starts where Redis left off.
    if (windows.second.admitted) this.seconds.take(holderId, perSecond);
    return windows;
  }

  async takeMonth(holderId: string, perMonth: number): Promise<WindowState> {
    const windows = await this.askRedis(holderId, LEAVE_THE_SECOND_ALONE, perMonth);
    return windows?.month ?? this.months.take(holderId, perMonth, this.gateways);
  }

  async usedThisMonth(holderId: string): Promise<number> {
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
  ): Promise<HolderWindows | undefined> {
    const tag = `{gatehouse:limit:${holderId}}`;
    if (this.pauses.isOn(tag)) return undefined;
    const debt = this.months.settle(holderId);
    try {
      const { used: known, endMs: knownEndMs } = this.months.known(holderId);
      const args = [perSecond, perMonth, debt, known, knownEndMs];
      const reply = await this.command(`${tag}:second`, `${tag}:month`, ...args);
      const [second, left, resetMs, month, used, endMs] = limitReply.parse(reply);
      this.months.hear(holderId, used, endMs);
      const remaining = Math.max(0, perMonth - used);
      return {
        second: { admitted: second === 1, limit: perSecond, remaining: left, resetMs },
        month: { admitted: month === 1, limit: perMonth, remaining, resetMs: endMs },
      };
    } catch (error) {
      this.months.owe(holderId, debt);
      this.pauses.begin(tag);
      this.events.onStoreFailure(error);
      return undefined;
    }
  }

  private takeFromMemory(holderId: string, { perSecond, perMonth }: HolderLimits): HolderWindows {
    const { gateways } = this;
    const second = this.seconds.take(holderId, Math.max(1, Math.floor(perSecond / gateways)));
    second.limit = perSecond;
    if (!second.admitted) return { second, month: this.months.peek(holderId, perMonth) };
    return { second, month: this.months.take(holderId, perMonth, gateways) };
  }
}
