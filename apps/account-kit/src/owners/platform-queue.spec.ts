import { describe, expect, it } from '@jest/globals';
import { PlatformQueue } from './platform-queue.js';

/** Requests that the test ends. */
class Requests {
  readonly started: string[] = [];
  private readonly ends: (() => void)[] = [];
  readonly turns = new PlatformQueue();

  add(clientId: string): Promise<void> {
    return this.turns.run(clientId, () => {
      this.started.push(clientId);
      return new Promise<void>((resolve) => this.ends.push(resolve));
    });
  }

  async endFirst(): Promise<void> {
    this.ends.shift()?.();
    await this.settle();
  }

  async settle(): Promise<void> {
    await new Promise(setImmediate);
  }
}

describe('PlatformQueue', () => {
  it('PlatformQueue: lets client applications take turns when all connections are in use', async () => {
    const requests = new Requests();
    for (let index = 0; index < 40; index += 1) void requests.add('greedy');
    void requests.add('other');
    await requests.settle();
    expect(requests.started).toHaveLength(16);
    await requests.endFirst();
    await requests.endFirst();
    expect(requests.started.slice(16)).toEqual(['greedy', 'other']);
  });

  it('PlatformQueue: refuses what one client application has waiting beyond its share', async () => {
    const requests = new Requests();
    for (let index = 0; index < 16 + 64; index += 1) void requests.add('greedy');
    await expect(requests.add('greedy')).rejects.toMatchObject({ statusCode: 429 });
    void requests.add('other');
    await requests.settle();
    await requests.endFirst();
    await requests.endFirst();
    expect(requests.started.slice(16)).toContain('other');
  });
});
