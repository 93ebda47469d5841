import { describe, expect, it } from '@jest/globals';
import { createPlatformBulkhead } from './platform-bulkhead.js';

/** Requests that the test ends. */
class Requests {
  readonly started: string[] = [];
  private readonly ends: (() => void)[] = [];
  readonly bulkhead = createPlatformBulkhead();

  add(clientId: string): Promise<void> {
    return this.bulkhead.run(clientId, () => {
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

describe('createPlatformBulkhead', () => {
  it('createPlatformBulkhead: lets client applications take turns when all connections are in use', async () => {
    const requests = new Requests();
    for (let index = 0; index < 40; index += 1) void requests.add('greedy');
    void requests.add('other');
    await requests.settle();
    expect(requests.started).toHaveLength(16);
    await requests.endFirst();
    await requests.endFirst();
    expect(requests.started.slice(16)).toEqual(['greedy', 'other']);
  });

  it('createPlatformBulkhead: refuses what one client application has waiting beyond its share', async () => {
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
