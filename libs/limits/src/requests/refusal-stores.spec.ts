import { describe, expect, it } from '@jest/globals';
import { MemoryRefusalStore } from './refusal-stores.js';

const HOUR = 3_600_000;

describe('MemoryRefusalStore', () => {
  it('MemoryRefusalStore: counts refusals by hour, client application and code, newest first, and removes them after a day', async () => {
    let clock = Date.UTC(2026, 10, 20, 12, 30);
    const refusals = new MemoryRefusalStore(() => clock);
    refusals.record('owner_1', 'client_1', 'second_limit_exceeded');
    clock += HOUR;
    for (let n = 0; n < 3; n++) refusals.record('owner_1', 'client_1', 'second_limit_exceeded');
    refusals.record('owner_1', 'client_2', 'scope_required');
    const noon = {
      hour: '2026-11-20T12:00:00.000Z',
      clientId: 'client_1',
      code: 'second_limit_exceeded',
      count: 1,
    };
    const one = [
      { hour: '2026-11-20T13:00:00.000Z', clientId: 'client_1', code: 'second_limit_exceeded', count: 3 },
      { hour: '2026-11-20T13:00:00.000Z', clientId: 'client_2', code: 'scope_required', count: 1 },
    ];
    expect(await refusals.listRecent('owner_1')).toEqual([...one, noon]);
    expect(await refusals.listRecent('owner_2')).toEqual([]);
    clock += 23 * HOUR;
    expect(await refusals.listRecent('owner_1')).toEqual(one);
    clock += HOUR;
    expect(await refusals.listRecent('owner_1')).toEqual([]);
  });
});
