import type { AnalyticsAccessResponse, AnalyticsReportResponse } from '@app/dto';
import { describe, expect, it } from '@jest/globals';
import type { AnalyticsClient } from '../../clients/analytics-client.js';
import type { TokenGatingClient } from '../../clients/token-gating-client.js';
import { CommunitiesService, type PortalReportRequest } from './communities.service.js';

const REQUEST: PortalReportRequest = {
  userId: 'user_1',
  communityId: 'c',
  report: 'roles-added',
  format: 'json',
  period: { range: undefined, interval: undefined, timeZone: undefined },
};

function createService(
  report: () => Promise<AnalyticsReportResponse>,
  access: () => Promise<AnalyticsAccessResponse> = () => Promise.reject(new Error('not asked')),
): CommunitiesService {
  const tokenGating: Partial<TokenGatingClient> = { checkAnalyticsAccess: access };
  const analytics: Partial<AnalyticsClient> = { loadReport: report };
  return new CommunitiesService(tokenGating as TokenGatingClient, analytics as AnalyticsClient);
}

const unused = () => Promise.reject(new Error('not asked'));

describe('CommunitiesService', () => {
  it('CommunitiesService: answers refusals of analytics like the public operation', async () => {
    const issues = [{ path: 'range', message: 'must end after its begin' }];
    const refusals: [AnalyticsReportResponse, object][] = [
      [{ outcome: 'community_not_found' }, { statusCode: 404 }],
      [{ outcome: 'administrator_required' }, { statusCode: 403 }],
      [
        { outcome: 'input_invalid', issues },
        { statusCode: 400, details: { code: 'input_invalid', issues } },
      ],
    ];
    for (const [response, error] of refusals)
      await expect(createService(() => Promise.resolve(response)).loadReport(REQUEST)).rejects.toMatchObject(
        error,
      );
  });

  it('CommunitiesService: is 503 while an app does not answer', async () => {
    const service = createService(unused);
    await expect(service.loadReport(REQUEST)).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'report_unavailable' },
    });
    await expect(service.loadName('user_1', 'c')).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'communities_unavailable' },
    });
  });

  it('CommunitiesService: names a community by its id while token-gating is of the release before', async () => {
    const access: AnalyticsAccessResponse = { outcome: 'granted', roles: [], readsWallets: false };
    const service = createService(unused, () => Promise.resolve(access));
    expect(await service.loadName('user_1', 'c')).toBe('c');
  });
});
