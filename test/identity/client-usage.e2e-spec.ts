import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type InternalSigningKey, PRINCIPAL_HEADER, type Principal, PrincipalIssuer } from '@app/auth';
import { operationOf } from '../support/operation-of.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import type { Created } from './application-owner.js';

interface Usage {
  plan: string;
  month: { limit: number; used?: number; endsTime: string };
  clientApplications: { limit?: number; used: number };
  apiKeys: { limit?: number; used: number };
  refusals: { clientId: string; code: string; count: number }[];
}

describe('plan usage of a user', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    suite = await runningSuite({ without: ['token-gating'] });
  });

  afterAll(async () => {
    await suite.stop();
  });

  const tokenFrom = (issuer: string, principal: Principal, audience: string, operation?: string) =>
    new PrincipalIssuer(suite.secrets.signing[issuer] as InternalSigningKey).issueToken(
      principal,
      audience,
      operation,
    );

  /** Sends a user's request as the gateway forwards it. */
  const ask = async <T>(userId: string, method: string, path: string, body?: object): Promise<T> => {
    const user: Principal = { kind: 'caller', user: { id: userId }, scopes: [] };
    const token = await tokenFrom('gateway', user, 'identity', operationOf(method, path));
    const response = await fetch(suite.app('identity').url + path, {
      method,
      headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as T;
  };

  const usageOf = (userId: string) => ask<Usage>(userId, 'GET', '/client-applications/usage');

  const sendRequest = async (apiKey: string): Promise<number> => {
    const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles/responses/none`, {
      headers: { 'x-api-key': apiKey },
    });
    await response.arrayBuffer();
    return response.status;
  };

  it('plan usage of a user: is zero before the first application', async () => {
    expect(await usageOf('user_new')).toEqual({
      plan: 'free',
      requestsPerSecond: 10,
      month: { limit: 10_000, used: 0, endsTime: expect.stringMatching(/-01T00:00:00.000Z$/) },
      clientApplications: { limit: 5, used: 0 },
      apiKeys: { limit: 5, used: 0 },
      refusals: [],
    });
  });

  it('plan usage of a user: counts admitted requests and lists refused ones', async () => {
    const scopes = ['token-gating'];
    const { application, apiKey } = await ask<Created>('user_1', 'POST', '/client-applications', {
      name: 'shop',
      scopes,
    });
    const { clientId } = application;
    const statuses: number[] = [];
    await until('the plan refuses', async () => {
      statuses.push(...(await Promise.all(Array.from({ length: 25 }, () => sendRequest(apiKey)))));
      return statuses.includes(429);
    });
    const withStatus = (status: number) => statuses.filter((actual) => actual === status).length;
    // The scope is not approved yet: requests within the limit are 403, and count.
    expect(withStatus(403) + withStatus(429)).toBe(statuses.length);
    const usage = await usageOf('user_1');
    expect(usage.month.used).toBe(withStatus(403));
    expect(usage.clientApplications.used).toBe(1);
    expect(usage.apiKeys.used).toBe(1);
    const refused = (code: string) =>
      usage.refusals
        .filter((refusal) => refusal.clientId === clientId && refusal.code === code)
        .reduce((sum, { count }) => sum + count, 0);
    expect(refused('scope_required')).toBe(withStatus(403));
    expect(refused('second_limit_exceeded')).toBe(withStatus(429));
    expect((await usageOf('user_2')).refusals).toEqual([]);
  });

  it('plan usage of a user: is reported by the gateway to identity only', async () => {
    const report = async (token?: string) => {
      const response = await fetch(`${suite.gatewayUrl}/internal/plan-reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { [PRINCIPAL_HEADER]: token } : {}) },
        body: JSON.stringify({ ownerId: 'owner_1' }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const service = (name: string) => tokenFrom(name, { kind: 'service', name }, 'gateway');
    expect(await report(await service('identity'))).toBe(200);
    expect(await report(await service('token-gating'))).toBe(404);
    expect(await report()).toBe(404);
  });

  it('plan usage of a user: omits the request count while the gateway is unavailable', async () => {
    await suite.app('gateway').stop();
    const usage = await usageOf('user_1');
    expect(usage.month).not.toHaveProperty('used');
    expect(usage).toMatchObject({ plan: 'free', clientApplications: { used: 1 }, refusals: [] });
  });
});
