import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import { createClientCredential } from '@app/auth';
import type { Request, Response } from 'express';
import { ApiKeyService } from '../../apps/gateway/src/credentials/api-key.service.js';
import { ClientPlanService } from '../../apps/gateway/src/credentials/client-plan.service.js';
import { RevocationFeedSubscriber } from '../../apps/gateway/src/credentials/revocation-feed-subscriber.js';
import type { VerifiedTokenCache } from '../../apps/gateway/src/credentials/verified-token-cache.js';
import { AddressRateLimiter } from '../../apps/gateway/src/pipeline/admit/address-rate-limiter.js';
import { AdmitGuard } from '../../apps/gateway/src/pipeline/admit/admit.guard.js';
import { LoadMonitor } from '../../apps/gateway/src/pipeline/admit/load-monitor.js';
import { UnknownKeyQueue } from '../../apps/gateway/src/pipeline/admit/unknown-key-queue.js';
import { ApiKeyStrategy } from '../../apps/gateway/src/pipeline/authenticate/api-key.strategy.js';
import { AuthenticateGuard } from '../../apps/gateway/src/pipeline/authenticate/authenticate.guard.js';
import { CallerCache } from '../../apps/gateway/src/pipeline/authenticate/caller-cache.js';
import type { TokenVerificationService } from '../../apps/gateway/src/pipeline/authenticate/token-verification.service.js';
import { measureBurst } from '../support/measure-burst.js';
import { until } from '../support/until.js';
import { ScriptedIdentity } from './scripted-identity.js';

const KEYS = '/internal/credentials';
const LIMIT = 60;
const createKeys = (count: number): string[] =>
  Array.from({ length: count }, () => createClientCredential('gth', 'test').text);

describe('API keys that a gateway does not know', () => {
  let identity: ScriptedIdentity;
  let feed: RevocationFeedSubscriber;
  let load: LoadMonitor;
  let admit: AdmitGuard;
  let authenticate: AuthenticateGuard;
  const valid = new Set<string>();

  beforeEach(async () => {
    valid.clear();
    identity = await ScriptedIdentity.start({
      '/internal/credentials/changes': () => ({
        last: 0,
        hasMore: false,
        truncated: false,
        clientIds: [],
        revoked: [],
      }),
      '/internal/credentials/revoked-tokens': () => ({ tokens: [], next: null }),
      [KEYS]: (body) => {
        const { apiKey } = JSON.parse(body) as { apiKey: string };
        const credential = {
          clientId: `client_${apiKey}`,
          ownerId: 'owner_1',
          plan: 'free',
          limits: { perSecond: 10, perMonth: 10_000 },
          scopes: ['token-gating'],
          keyId: 'key_1',
          expiresAt: null,
        };
        return { asOf: 0, credential: valid.has(apiKey) ? credential : null };
      },
    });
    const { config, client, context } = identity;
    feed = new RevocationFeedSubscriber(config, client, context);
    const apiKeys = new ApiKeyService(client, feed, context);
    const plans = new ClientPlanService(client, feed);
    feed.onApplicationBootstrap();
    await until('the feed is trusted', () => feed.isTrusted);
    load = new LoadMonitor(config, context);
    const addresses = new AddressRateLimiter(config);
    // No request here has a token.
    const callers = new CallerCache(apiKeys, {} as VerifiedTokenCache, plans);
    admit = new AdmitGuard(load, callers, addresses, new UnknownKeyQueue(addresses));
    authenticate = new AuthenticateGuard(new ApiKeyStrategy(apiKeys), {} as TokenVerificationService, plans);
  });

  afterEach(async () => {
    load.onModuleDestroy();
    await feed.onApplicationShutdown();
    await identity.stop();
  });

  /** The status of a request whose work ends with its authentication. */
  async function statusOf(apiKey: string, ip: string): Promise<number> {
    const request = { headers: { 'x-api-key': apiKey }, rawHeaders: [], ip } as unknown as Request;
    let close = (): void => undefined;
    const response = {
      closed: false,
      setHeader: () => undefined,
      once: (_event: string, listener: () => void) => (close = listener),
    } as unknown as Response;
    try {
      await admit.check(request, response);
      await authenticate.check(request);
      return 200;
    } catch (error) {
      if (error instanceof AppError) return error.statusCode;
      throw error;
    } finally {
      close();
    }
  }

  const statusesOf = (apiKeys: readonly string[], ip: string): Promise<number[]> =>
    Promise.all(apiKeys.map((apiKey) => statusOf(apiKey, ip)));

  /** Sends requests as clients do that wait for their answer, a few at a time. */
  async function statusesInTurn(apiKeys: readonly string[], ip: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let start = 0; start < apiKeys.length; start += 200)
      statuses.push(...(await statusesOf(apiKeys.slice(start, start + 200), ip)));
    return statuses;
  }

  const count = (statuses: readonly number[], wanted: number): number =>
    statuses.filter((status) => status === wanted).length;

  it('gateway: admits a thousand valid keys of one address that it does not know yet, without a refusal', async () => {
    const keys = createKeys(1_000);
    for (const key of keys) valid.add(key);
    expect(count(await statusesInTurn(keys, '203.0.113.1'), 200)).toBe(1_000);
    expect(identity.count(KEYS)).toBe(1_000);
  });

  it('gateway: asks identity for no more invented keys of one address than its limit, while another address is served', async () => {
    const honest = createKeys(50);
    for (const key of honest) valid.add(key);
    const { result, windows } = await measureBurst(async () => {
      const attack = statusesOf(createKeys(700), '203.0.113.2');
      await sleep(1);
      const served = await statusesInTurn(honest, '203.0.113.3');
      return { served, attacked: await attack };
    });
    expect(count(result.served, 200)).toBe(honest.length);
    const asked = identity.count(KEYS) - honest.length;
    expect(asked).toBe(count(result.attacked, 401));
    expect(asked).toBeLessThanOrEqual(LIMIT * windows);
    // What does not fit into the queue is refused at once, and the rest after three seconds.
    expect(count(result.attacked, 429)).toBe(700 - asked);
  });

  it('gateway: refuses a key at once that identity did not know, beside requests that wait', async () => {
    const [bad = ''] = createKeys(1);
    const address = '203.0.113.4';
    expect(await statusOf(bad, address)).toBe(401);
    const waiting = statusesOf(createKeys(100), address);
    const asked = identity.count(KEYS);
    expect(await statusOf(bad, address)).toBe(429);
    expect(identity.count(KEYS)).toBeLessThanOrEqual(asked + LIMIT);
    await waiting;
  });

  it('gateway: gives no place back for a malformed key, or for one that identity could not be asked for', async () => {
    const address = '203.0.113.5';
    identity.isDown = true;
    const { result, windows } = await measureBurst(async () => [
      ...(await statusesOf(createKeys(LIMIT), address)),
      ...(await statusesOf(
        Array.from({ length: LIMIT }, () => 'no key'),
        address,
      )),
    ]);
    identity.isDown = false;
    expect(count(result, 503)).toBe(LIMIT);
    expect(count(result, 401)).toBeLessThanOrEqual(LIMIT * (windows - 1));
  });
});
