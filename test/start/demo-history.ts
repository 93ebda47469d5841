import { expect } from '@jest/globals';
import { gatewayCaller } from '../../scripts/demo/gateway-caller.mjs';
import { until } from '../support/until.js';
import type { Demo } from './project-copy.js';

interface Member {
  roles: string[];
}

/** The demo community has 90 days of history, which ends in the members and roles that token-gating holds. */
export async function expectDemoHistory({ gatewayUrl, apiKey, communityId }: Demo): Promise<void> {
  const client = gatewayCaller(gatewayUrl, { 'X-API-Key': apiKey });
  const { items } = (await client('GET', `/communities/${communityId}/members`)) as { items: Member[] };
  const countHolders = (roleId: string) => items.filter(({ roles }) => roles.includes(roleId)).length;
  const expected = {
    whale: countHolders('whale'),
    collector: countHolders('collector'),
    none: items.filter(({ roles }) => roles.length === 0).length,
  };
  await until('analytics has the state of token-gating', async () => {
    const rows = (await client('POST', `/analytics/${communityId}/role-distribution`)) as {
      id: string;
      count: number;
    }[];
    const counts = Object.fromEntries(rows.map(({ id, count }) => [id, count]));
    return JSON.stringify(counts, Object.keys(expected)) === JSON.stringify(expected);
  });
  const days = (await client('GET', `/analytics/${communityId}/user-interactions?range=90d`)) as {
    interactions: number;
  }[];
  expect(days.filter(({ interactions }) => interactions > 0).length).toBeGreaterThan(45);
}
