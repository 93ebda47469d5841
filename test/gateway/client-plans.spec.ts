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

describe('plans of client applications', () => {
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
      [PLANS]: (question) => {
        const { clientIds } = JSON.parse(question) as { clientIds: string[] };
        return { asOf: last(), plans: clientIds.filter((id) => existing.includes(id)).map(planOf) };
      },
    });
    feed = new RevocationFeedSubscriber(identity.config, identity.client, identity.context);
    plans = new ClientPlanService(identity.client, feed);
    feed.onApplicationBootstrap();
    await until('the feed is heard', () => feed.isTrusted);
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + minutesPassed * MINUTE);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await feed.onApplicationShutdown();
    await identity.stop();
  });

  const find = async (clientId = 'client_1') => (await plans.findPlans([clientId])).get(clientId);
  const asked = () => identity.count(PLANS);
  const tellOf = async (clientId: string) => {
    changed.push(clientId);
    await until('it is told', () => feed.lastSequence === changed.length);
  };

  it('go on for ten minutes while identity is gone, as credentials do, and no longer', async () => {
    expect(await find()).toEqual(planOf('client_1'));
    identity.isGone = true;
    // Nothing that was said before is still on its way.
    await until('it is turned away', () => identity.turnedAway > 0);
    minutesPassed = 9;
    expect(await find()).toEqual(planOf('client_1'));
    expect(asked()).toBe(1);
    minutesPassed = 11;
    await expect(find()).rejects.toMatchObject({ statusCode: 503 });
  });

  it('are asked for again when the feed tells of a change', async () => {
    await find();
    await find();
    expect(asked()).toBe(1);
    await tellOf('client_1');
    await find();
    expect(asked()).toBe(2);
  });

  it('are asked for once for all who wait, and only those that nobody has asked for yet', async () => {
    const [many, both] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, () => find())),
      plans.findPlans(['client_1', 'client_2']),
    ]);
    expect(many).toEqual(Array.from({ length: 50 }, () => planOf('client_1')));
    expect([...both.keys()].sort()).toEqual(['client_1', 'client_2']);
    expect(asked()).toBe(2);
  });

  it('of client applications that do not exist cost one question a minute, until the feed tells of them', async () => {
    for (let n = 0; n < 20; n += 1) expect(await find('client_3')).toBeUndefined();
    expect(asked()).toBe(1);
    minutesPassed = 1.1;
    await sleep(10); // the cache looks at the clock once a millisecond
    expect(await find('client_3')).toBeUndefined();
    expect(asked()).toBe(2);
    existing.push('client_3');
    expect(await find('client_3')).toBeUndefined();
    await tellOf('client_3');
    expect(await find('client_3')).toEqual(planOf('client_3'));
    expect(asked()).toBe(3);
  });

  it('are not known to be none where identity could not be asked', async () => {
    identity.isGone = true;
    await expect(Promise.all([find('client_1'), find('client_1')])).rejects.toMatchObject({
      statusCode: 503,
    });
    identity.isGone = false;
    expect(await find()).toEqual(planOf('client_1'));
  });
});
