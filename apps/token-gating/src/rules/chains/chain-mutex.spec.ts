import { describe, expect, it } from '@jest/globals';
import { ChainMutex } from './chain-mutex.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('ChainMutex', () => {
  it('runs rounds in sequence on one chain, also after a failure, and concurrently on two chains', async () => {
    const mutex = new ChainMutex();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const round = (name: string, chainId: number, error?: Error) =>
      mutex.runExclusive(chainId, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (error) throw error;
        return name;
      });
    const failed = expect(round('a', 1, new Error('no'))).rejects.toThrow('no');
    const second = round('b', 1);
    const elsewhere = round('c', 2);
    await tick();
    expect(begun).toEqual(['a', 'c']);
    ends.get('a')?.();
    await failed;
    await tick();
    expect(begun).toEqual(['a', 'c', 'b']);
    ends.get('b')?.();
    ends.get('c')?.();
    expect(await Promise.all([second, elsewhere])).toEqual(['b', 'c']);
  });
});
