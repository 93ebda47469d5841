import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClientPlan } from '@app/dto';
import { ClientPlanService } from '../../apps/gateway/src/credentials/client-plan.service.js';
import { RevocationFeedSubscriber } from '../../apps/gateway/src/credentials/revocation-feed-subscriber.js';
import { until } from '../support/until.js';
import { ScriptedIdentity } from './scripted-identity.js';

const MINUTE = 60_000;
const PLANS = '/internal/client-plans';
const planOf = (clientId: string): ClientPlan => ({
  clientId,
  ownerId: 'owner_1',
  plan: 'free',
  limits: { perSecond: 10, perMonth: 10_000 },
  scopes: ['token-gating'],
});

describe('ClientPlanService', () => {
  let identity: ScriptedIdentity;
  let feed: RevocationFeedSubscriber;
  let plans: ClientPlanService;
  let existing: string[];
  let changed: string[];
  let minutesPassed: number;

  beforeEach(async () => {
    [existing, changed, minutesPassed] = [['client_1', 'client_2'], [], 0];
    const last = () => changed.length;
    identity = await ScriptedIdentity.start({
      '/internal/credentials/changes': () => ({
        last: last(),
        hasMore: false,
        truncated: false,
        clientIds: changed,
        revoked: [],
      }),
      '/internal/credentials/revoked-tokens': () => ({ tokens: [], next: null }),
      [PLANS]: (body) => {
        const { clientIds } = JSON.parse(body) as { clientIds: string[] };
        return { asOf: last(), plans: clientIds.filter((id) => existing.includes(id)).map(planOf) };
      },
    });
    feed = new RevocationFeedSubscriber(identity.config, identity.client, identity.context);
    plans = new ClientPlanService(identity.client, feed);
    feed.onApplicationBootstrap();
    await until('the feed was polled', () => feed.isTrusted);
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + minutesPassed * MINUTE);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await feed.onApplicationShutdown();
    await identity.stop();
  });

  const find = async (clientId = 'client_1') => (await plans.findPlans([clientId])).get(clientId);
  const countLookups = () => identity.count(PLANS);
  const publishChange = async (clientId: string) => {
    changed.push(clientId);
    await until('the change is applied', () => feed.lastSequence === changed.length);
  };

  it('ClientPlanService: serves cached plans for ten minutes of an identity outage, then 503', async () => {
    expect(await find()).toEqual(planOf('client_1'));
    identity.isDown = true;
    // No earlier response is still in flight.
    await until('a request is rejected', () => identity.rejectedRequests > 0);
    minutesPassed = 9;
    expect(await find()).toEqual(planOf('client_1'));
    expect(countLookups()).toBe(1);
    minutesPassed = 11;
    await expect(find()).rejects.toMatchObject({ statusCode: 503 });
  });

  it('ClientPlanService: reloads a plan when the feed reports a change', async () => {
    await find();
    await find();
    expect(countLookups()).toBe(1);
    await publishChange('client_1');
    await find();
    expect(countLookups()).toBe(2);
  });

  it('ClientPlanService: loads each plan once for concurrent requests', async () => {
    const [many, both] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, () => find())),
      plans.findPlans(['client_1', 'client_2']),
    ]);
    expect(many).toEqual(Array.from({ length: 50 }, () => planOf('client_1')));
    expect([...both.keys()].sort()).toEqual(['client_1', 'client_2']);
    expect(countLookups()).toBe(2);
  });

  it('ClientPlanService: looks up unknown client applications once per minute, or when the feed reports them', async () => {
    for (let n = 0; n < 20; n += 1) expect(await find('client_3')).toBeUndefined();
    expect(countLookups()).toBe(1);
    minutesPassed = 1.1;
    await sleep(10); // the cache reads the clock once per millisecond
    expect(await find('client_3')).toBeUndefined();
    expect(countLookups()).toBe(2);
    existing.push('client_3');
    expect(await find('client_3')).toBeUndefined();
    await publishChange('client_3');
    expect(await find('client_3')).toEqual(planOf('client_3'));
    expect(countLookups()).toBe(3);
  });

  it('ClientPlanService: does not cache a failed lookup', async () => {
    identity.isDown = true;
    await expect(Promise.all([find('client_1'), find('client_1')])).rejects.toMatchObject({
      statusCode: 503,
    });
    identity.isDown = false;
    expect(await find()).toEqual(planOf('client_1'));
  });
});
