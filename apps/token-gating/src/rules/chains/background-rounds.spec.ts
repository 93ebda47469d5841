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
