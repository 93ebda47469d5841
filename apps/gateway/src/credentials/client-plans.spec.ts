import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClientPlan } from '@app/dto';
import { Metrics, Readiness, type ServiceContext } from '@app/service';
import { pino } from 'pino';
import { makeSecrets } from '../../../../scripts/local/secrets.mjs';
import { type GatewayConfig, gatewayConfigSchema } from '../gateway.config.js';
import { ClientPlans } from './client-plans.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';

const MINUTE = 60_000;
const plan: ClientPlan = {
  clientId: 'client_1',
  ownerId: 'owner_1',
  plan: 'free',
  limits: { perSecond: 10, perMonth: 10_000 },
  scopes: ['token-gating'],
};

describe('plans of client applications', () => {
  let identity: Server;
  let isGone = false;
  let asked = 0;
  let turnedAway = 0;
  let minutesPassed = 0;
  let changed: string[] = [];
  let client: IdentityClient;
  let feed: RevocationFeed;
  let plans: ClientPlans;

  beforeEach(async () => {
    [isGone, asked, turnedAway, minutesPassed, changed] = [false, 0, 0, 0, []];
    identity = createServer((request, response) => {
      const last = changed.length;
      const [path = ''] = (request.url ?? '').split('?');
      if (path === '/internal/client-plans') asked += 1;
      if (isGone) turnedAway += 1;
      const answers: Record<string, object> = {
        '/internal/credentials/changes': { last, truncated: false, clientIds: changed, tokenIds: [] },
        '/internal/credentials/revoked-tokens': { asOf: last, tokens: [] },
        '/internal/client-plans': { asOf: last, plans: [plan] },
      };
      response.writeHead(isGone ? 503 : 200).end(JSON.stringify(answers[path]));
    }).listen(0, '127.0.0.1');
    await once(identity, 'listening');
    const config = configOf(`http://127.0.0.1:${String((identity.address() as AddressInfo).port)}`);
    const context: ServiceContext = {
      name: 'gateway',
      config: {} as ServiceContext['config'],
      logger: pino({ enabled: false }),
      metrics: new Metrics('gateway'),
      readiness: new Readiness(),
    };
    client = new IdentityClient(config);
    feed = new RevocationFeed(config, client, context);
    plans = new ClientPlans(client, feed);
    feed.onApplicationBootstrap();
    await heardOf(() => feed.isTrusted);
    const real = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => real() + minutesPassed * MINUTE);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await feed.onApplicationShutdown();
    await client.onApplicationShutdown();
    identity.closeAllConnections();
    identity.close();
  });

  const find = async () => (await plans.find(['client_1'])).get('client_1');

  it('go on for ten minutes while identity is gone, as credentials do, and no longer', async () => {
    expect(await find()).toEqual(plan);
    isGone = true;
    await heardOf(() => turnedAway > 0); // nothing that was said before is still on its way
    minutesPassed = 9;
    expect(await find()).toEqual(plan);
    expect(asked).toBe(1);
    minutesPassed = 11;
    await expect(find()).rejects.toMatchObject({ statusCode: 503 });
  });

  it('are asked for again when the feed tells of a change', async () => {
    await find();
    await find();
    expect(asked).toBe(1);
    changed = ['client_1'];
    await heardOf(() => feed.last === 1);
    await find();
    expect(asked).toBe(2);
  });
});

async function heardOf(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

function configOf(IDENTITY_URL: string): GatewayConfig {
  const secrets = makeSecrets(['gateway']);
  return gatewayConfigSchema.parse({
    INTERNAL_SIGNING_KEY: JSON.stringify(secrets.signing['gateway']),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    PUBLIC_URL: 'http://127.0.0.1:1',
    IDENTITY_URL,
    TOKEN_GATING_URL: 'http://127.0.0.1:1',
    ACCOUNT_KIT_URL: 'http://127.0.0.1:1',
    ANALYTICS_URL: 'http://127.0.0.1:1',
    CREDENTIAL_FEED_INTERVAL_MS: '50',
  });
}
