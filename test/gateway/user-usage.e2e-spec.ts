import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId, type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { PLAN_LIMITS, userUsageResponse } from '@app/dto';
import { randomUUID } from 'node:crypto';
import { queryDatabase } from '../identity/query-database.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

describe('usage of users in the portal', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    suite = await runningSuite({ without: ['token-gating', 'account-kit'] });
  });

  afterAll(async () => {
    await suite.stop();
  });

  const newUserId = (): string => deriveUserId('ethereum', randomUUID());

  const count = async (requests: { userId: string; count: number }[], name = 'token-gating') => {
    const issuer = new PrincipalIssuer(suite.secrets.signing[name] as InternalSigningKey);
    const response = await fetch(`${suite.gatewayUrl}/internal/user-usage`, {
      method: 'POST',
      headers: {
        [PRINCIPAL_HEADER]: await issuer.issueToken({ kind: 'service', name }, 'gateway'),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ requests }),
    });
    const body: unknown = await response.json();
    return { status: response.status, body };
  };

  const outcomesOf = async (requests: { userId: string; count: number }[]) =>
    userUsageResponse.parse((await count(requests)).body).outcomes;

  it('internal user usage: counts for token-gating and identity alone', async () => {
    const requests = [{ userId: newUserId(), count: 1 }];
    for (const [name, status] of [
      ['token-gating', 200],
      ['identity', 200],
      ['analytics', 404],
    ] as const)
      expect((await count(requests, name)).status).toBe(status);
  });

  it('internal user usage: a user without an application has the second of the free plan, and others have theirs', async () => {
    const [userId, victim] = [newUserId(), newUserId()];
    const outcomes = await outcomesOf([
      ...Array.from({ length: 15 }, () => ({ userId, count: 1 })),
      { userId: victim, count: 1 },
    ]);
    const admitted = outcomes.slice(0, 15).filter(({ outcome }) => outcome === 'counted');
    expect(admitted).toHaveLength(PLAN_LIMITS.free.perSecond);
    expect(outcomes[14]).toEqual({ outcome: 'second_used_up', limit: 10, retryAfter: 1 });
    expect(outcomes[15]).toEqual({ outcome: 'counted' });
  });

  it('internal user usage: the tenant of a user counts requests of the portal and of its applications together', async () => {
    const userId = newUserId();
    const { ownerId } = await suite.createClient({ plan: 'free' });
    const { databaseUrl } = suite;
    await queryDatabase(databaseUrl, 'UPDATE identity.plan_holders SET user_id = $2 WHERE id = $1', [
      ownerId,
      userId,
    ]);
    await suite.clientCommand([
      ...['set-plan', ownerId, '--plan', 'enterprise'],
      ...['--requests-per-second', '1000', '--requests-per-month', '50'],
    ]);
    const requests = [20, 20, 20, 1].map((each) => ({ userId, count: each }));
    const outcomes = await outcomesOf(requests);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      ...['counted', 'counted', 'month_used_up', 'month_used_up'],
    ]);
    const [, , refused] = outcomes;
    expect(refused).toMatchObject({ limit: 50 });
    if (refused && 'retryAfter' in refused) expect(refused.retryAfter).toBeGreaterThan(1);
    const month = await queryDatabase(
      databaseUrl,
      'SELECT sum(used)::int AS used FROM gateway.month_usage WHERE holder_id = $1',
      [ownerId],
    );
    expect(month).toEqual([{ used: 50 }]);
  });
});
