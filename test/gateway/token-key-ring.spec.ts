import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TokenKeyCache } from '../../apps/gateway/src/credentials/token-key-cache.js';
import { until } from '../support/until.js';
import { ScriptedIdentity } from './scripted-identity.js';
import { TokenMint } from './token-mint.js';

const MINUTE = 60_000;
const mint = new TokenMint('http://127.0.0.1:1');

describe('keys of tokens', () => {
  let identity: ScriptedIdentity;
  let ring: TokenKeyCache;
  let minutesPassed: number;

  beforeEach(async () => {
    minutesPassed = 0;
    identity = await ScriptedIdentity.start({ '/internal/token-keys': () => mint.keys });
    ring = new TokenKeyCache(identity.client, identity.context);
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + minutesPassed * MINUTE);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await ring.onApplicationShutdown();
    await identity.stop();
  });

  const readiness = async () => {
    const { ready, checks } = await identity.context.readiness.report();
    return [ready, checks['token keys']];
  };
  const silentSeconds = async () => {
    const metric = identity.context.metrics.registry.getSingleMetric('gateway_token_keys_staleness_seconds');
    return (await metric?.get())?.values[0]?.value ?? NaN;
  };
  const read = () => ring.readWithKeys('ae', (keyOf) => keyOf(mint.ae.kid));

  it('have to be known once before a gateway is ready', async () => {
    identity.isGone = true;
    ring.onModuleInit();
    await until('it is turned away', () => identity.turnedAway > 0);
    expect((await readiness())[0]).toBe(false);
    await expect(read()).rejects.toMatchObject({ statusCode: 503 });
    identity.isGone = false;
    await until('they are known', () => ring.isTrusted);
    expect(await readiness()).toEqual([true, 'ok']);
    expect(await read()).toEqual(mint.ae.key);
  });

  it('go on for ten minutes without identity; then tokens are 503, and readiness and a metric say so', async () => {
    ring.onModuleInit();
    await until('they are known', () => ring.isTrusted);
    expect(await readiness()).toEqual([true, 'ok']);
    identity.isGone = true;
    minutesPassed = 10;
    expect(await read()).toEqual(mint.ae.key);
    expect(await readiness()).toEqual([true, 'ok']);
    minutesPassed = 11;
    await expect(read()).rejects.toMatchObject({ statusCode: 503 });
    // It is told, and the gateway stays: API keys need no keys of tokens.
    expect(await readiness()).toEqual([true, 'identity has not responded for too long']);
    expect(await silentSeconds()).toBeGreaterThanOrEqual(660);
  });
});
