import { beforeEach, describe, expect, it } from '@jest/globals';
import { BackgroundRounds } from './background-rounds.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('BackgroundRounds', () => {
  let rounds: BackgroundRounds;
  let begun: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    rounds = new BackgroundRounds();
    begun = [];
    ends = new Map();
  });

  const run = (tenant: string, name: string, chainId = 1, error?: Error): Promise<string> =>
    rounds.run(chainId, tenant, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      if (error) throw error;
      return name;
    });

  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };

  it('BackgroundRounds: runs one round of a tenant and two of a chain at once, also after a failure', async () => {
    const failed = expect(run('a', 'a1', 1, new Error('no'))).rejects.toThrow('no');
    const others = [run('a', 'a2'), run('b', 'b1'), run('c', 'c1'), run('a', 'elsewhere', 2)];
    await settle();
    expect(begun).toEqual(['a1', 'b1', 'elsewhere']);
    await end('a1');
    await failed;
    expect(begun).toEqual(['a1', 'b1', 'elsewhere', 'a2']);
    await end('b1');
    expect(begun.at(-1)).toBe('c1');
    for (const name of ['a2', 'c1', 'elsewhere']) await end(name);
    expect(await Promise.all(others)).toEqual(['a2', 'b1', 'c1', 'elsewhere']);
  });

  it('prefers the tenant that has used the least node time: cheap before unknown before costly ones', async () => {
    const cheap = run('cheap', 'cheap1');
    const costly = run('costly', 'costly1');
    await settle();
    await end('cheap1');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const filling = run('other', 'filling');
    const waiting = [run('costly', 'costly2'), run('new', 'new1'), run('cheap', 'cheap2')];
    await end('costly1');
    await Promise.all([cheap, costly]);
    await end('cheap2');
    await end('new1');
    expect(begun.slice(3)).toEqual(['cheap2', 'new1', 'costly2']);
    for (const name of ['filling', 'costly2']) await end(name);
    await Promise.all([filling, ...waiting]);
  });
});

/** A clock of ticks: rounds take as many as they say, and what sleeps wakes in order. */
class TickClock {
  private time = 0;
  private sleeping: { readonly until: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.time;

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.sleeping.push({ until: this.time + ms, wake });
    });

  async runUntil(end: number): Promise<void> {
    for (;;) {
      await settle();
      const [next] = [...this.sleeping].sort((a, b) => a.until - b.until);
      if (!next || next.until > end) return;
      this.time = next.until;
      this.sleeping = this.sleeping.filter((each) => each !== next);
      next.wake();
    }
  }
}

/** Runs rounds of 10 ticks of each owner without an application, and those of a victim. @returns ticks of node time */
async function measureShares(owners: number, victims: number) {
  const clock = new TickClock();
  const rounds = new BackgroundRounds(clock);
  const used = new Map<string, number>();
  const loop = async (tenant: string, run: 'run' | 'runLimited', ticks: number): Promise<void> => {
    const round = async () => {
      await clock.sleep(ticks);
      used.set(tenant, (used.get(tenant) ?? 0) + ticks);
    };
    for (;;) await rounds[run](1, tenant, round);
  };
  for (let index = 0; index < owners; index += 1) void loop(`owner ${index}`, 'runLimited', 10);
  for (let index = 0; index < victims; index += 1) void loop(`victim ${index}`, 'run', 10);
  await clock.runUntil(10_000);
  const sumOf = (kind: string): number =>
    [...used].reduce((sum, [name, ticks]) => sum + (name.startsWith(kind) ? ticks : 0), 0);
  return { limited: sumOf('owner'), victims: sumOf('victim'), used };
}

describe('BackgroundRounds with communities without an application', () => {
  it('T350: BackgroundRounds: a hundred owners without an application use a tenth of the rounds of a chain, also where nobody else waits', async () => {
    const { limited, used } = await measureShares(100, 0);
    expect(limited).toBeLessThanOrEqual((10_000 * 2) / 10 + 10);
    expect(limited).toBeGreaterThan((10_000 * 2) / 10 - 200);
    // Every owner has a turn before one has two more than another.
    const turns = [...used.values()];
    expect(used.size).toBe(100);
    expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(10);
  });

  it('T350: BackgroundRounds: two victims keep nine tenths of the rounds of a chain beside a hundred owners without an application', async () => {
    const { limited, victims } = await measureShares(100, 2);
    expect(victims).toBeGreaterThanOrEqual((10_000 * 2 * 9) / 10 - 40);
    expect(limited).toBeGreaterThan(500);
  });

  it('BackgroundRounds: a limited round that fails rejects, and the next one runs after the rest', async () => {
    const clock = new TickClock();
    const rounds = new BackgroundRounds(clock);
    const failing = rounds.runLimited(1, 'a', async () => {
      await clock.sleep(10);
      throw new Error('no');
    });
    const times: number[] = [];
    const next = rounds.runLimited(1, 'b', () => {
      times.push(clock.now());
      return Promise.resolve('yes');
    });
    const refused = expect(failing).rejects.toThrow('no');
    await clock.runUntil(100);
    await refused;
    expect(await next).toBe('yes');
    expect(times).toEqual([50]);
  });
});
