import { describe, expect, it } from '@jest/globals';
import type { PlanUsage } from '../../applications/plans/plan-usage.service.js';
import { toUsageView } from './usage-view.js';

const usage: PlanUsage = {
  plan: 'free',
  requestsPerSecond: 10,
  month: { limit: 10_000, used: 9_204, endsTime: '2026-12-01T00:00:00.000Z' },
  clientApplications: { limit: 5, used: 1 },
  apiKeys: { limit: undefined, used: 1_200 },
  refusals: [],
};

describe('toUsageView', () => {
  it('toUsageView: shows the usage against the limits', () => {
    expect(toUsageView(usage, []).meters).toEqual([
      { name: 'Requests until 1 December 2026', label: '9,204 of 10,000', percent: 92, isHigh: true },
      { name: 'Applications', label: '1 of 5', percent: 20, isHigh: false },
      { name: 'API keys', label: '1,200', isHigh: false },
    ]);
  });

  it('toUsageView: shows an unknown usage as unknown instead of zero', () => {
    const [requests] = toUsageView({ ...usage, month: { ...usage.month, used: undefined } }, []).meters;
    expect(requests).toMatchObject({ label: 'currently unknown, of 10,000', isHigh: false });
    expect(requests).not.toHaveProperty('percent');
  });

  it('toUsageView: limits a bar to 100 percent', () => {
    const [requests] = toUsageView({ ...usage, month: { ...usage.month, used: 20_000 } }, []).meters;
    expect(requests?.percent).toBe(100);
  });
});
