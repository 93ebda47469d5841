import { describe, expect, it } from '@jest/globals';
import type { PlanUsage } from '../../applications/plans/plan-usage.dto.js';
import { toUsageView } from './usage-view.js';

const usage: PlanUsage = {
  plan: 'free',
  requestsPerSecond: 10,
  month: { limit: 10_000, used: 9_204, endsTime: '2026-12-01T00:00:00.000Z' },
  clientApplications: { limit: 5, used: 1 },
  apiKeys: { limit: undefined, used: 1_200 },
  refusals: [],
};

describe('the usage of a plan', () => {
  it('is shown against its limits', () => {
    expect(toUsageView(usage, []).meters).toEqual([
      { name: 'Requests until 1 December 2026', words: '9,204 of 10,000', percent: 92, much: true },
      { name: 'Applications', words: '1 of 5', percent: 20, much: false },
      { name: 'API keys', words: '1,200', much: false },
    ]);
  });

  it('is not shown as nothing when nobody knows it', () => {
    const [requests] = toUsageView({ ...usage, month: { ...usage.month, used: undefined } }, []).meters;
    expect(requests).toMatchObject({ words: 'unknown at the moment, of 10,000', much: false });
    expect(requests).not.toHaveProperty('percent');
  });

  it('never overflows its bar', () => {
    const [requests] = toUsageView({ ...usage, month: { ...usage.month, used: 20_000 } }, []).meters;
    expect(requests?.percent).toBe(100);
  });
});
