import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TokenKeyCache } from '../../apps/gateway/src/credentials/token-key-cache.js';
import { until } from '../support/until.js';
import { ScriptedIdentity } from './scripted-identity.js';
import { TokenFactory } from './token-factory.js';

const MINUTE = 60_000;
const mint = new TokenFactory('http://127.0.0.1:1');

describe('TokenKeyCache', () => {
  let identity: ScriptedIdentity;
  let cache: TokenKeyCache;
  let minutesPassed: number;

  beforeEach(async () => {
    minutesPassed = 0;
    identity = await ScriptedIdentity.start({ '/internal/token-keys': () => mint.keys });
    cache = new TokenKeyCache(identity.client, identity.context);
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + minutesPassed * MINUTE);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await cache.onApplicationShutdown();
    await identity.stop();
  });

  const readiness = async () => {
    const { ready, checks } = await identity.context.readiness.report();
    return [ready, checks['token keys']];
  };
  const getStaleness = async () => {
    const metric = identity.context.metrics.registry.getSingleMetric('gateway_token_keys_staleness_seconds');
    return (await metric?.get())?.values[0]?.value ?? NaN;
  };
  const read = () => cache.readWithKeys('ae', (findKey) => findKey(mint.ae.kid));

  it('TokenKeyCache: must have loaded keys once before the gateway is ready', async () => {
    identity.isDown = true;
    cache.onModuleInit();
    await until('a request is rejected', () => identity.rejectedRequests > 0);
    expect((await readiness())[0]).toBe(false);
    await expect(read()).rejects.toMatchObject({ statusCode: 503 });
    identity.isDown = false;
    await until('the keys are loaded', () => cache.isTrusted);
    expect(await readiness()).toEqual([true, 'ok']);
    expect(await read()).toEqual(mint.ae.key);
  });

  it('TokenKeyCache: serves keys for ten minutes of an identity outage, then 503, with a readiness report and a metric', async () => {
    cache.onModuleInit();
    await until('the keys are loaded', () => cache.isTrusted);
    expect(await readiness()).toEqual([true, 'ok']);
    identity.isDown = true;
    minutesPassed = 10;
    expect(await read()).toEqual(mint.ae.key);
    expect(await readiness()).toEqual([true, 'ok']);
    minutesPassed = 11;
    await expect(read()).rejects.toMatchObject({ statusCode: 503 });
    // Reported, but the gateway stays ready: API keys need no token keys.
    expect(await readiness()).toEqual([true, 'identity has not responded for too long']);
    expect(await getStaleness()).toBeGreaterThanOrEqual(660);
  });
});
