import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CREDENTIALS_CHANGED_CHANNEL, Subscriber } from '@app/pubsub';
import { until } from '../queues/queue-world.js';
import type { Client, ClientOptions } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { LocalRedis } from '../support/local-redis.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { describeWithRedis } from '../support/needs.js';

const scopes = ['community:analytics'];

describeWithRedis('two gateway replicas with one Redis', () => {
  let redis: LocalRedis;
  let upstream: EchoServer;
  let suite: RunningSuite;
  let urls: string[];
  let managementUrls: string[];

  beforeAll(async () => {
    redis = await LocalRedis.start();
    upstream = await echoServer();
    // Polling is slow here, so that a fast change came through Redis.
    const env = {
      ANALYTICS_URL: upstream.url,
      REDIS_URL: redis.url,
      CREDENTIAL_FEED_INTERVAL_MS: '4000',
      ADDRESS_REQUESTS_PER_SECOND: '10000',
      COUNTER_TIMEOUT_MS: '5000', // a busy machine is not a Redis that is away
    };
    suite = await runningSuite({ without: ['token-gating'], env });
    const replica = await suite.anotherGateway();
    urls = [suite.gatewayUrl, replica.url];
    managementUrls = [suite.app('gateway').managementUrl, replica.managementUrl];
    await until('both are counted', async () => (await redis.command('ZCARD {gatehouse}:gateways')) === ':2');
    await sleep(1_100); // and each of them knows
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
    await redis.stop();
  });

  const make = (options: ClientOptions = {}) => suite.createClient({ scopes, ...options });

  const ask = async ({ apiKey }: Client, at: number): Promise<Response> => {
    const url = `${urls[at % urls.length] ?? ''}/analytics/c/wallet-connections`;
    const response = await fetch(url, { headers: { 'X-API-Key': apiKey } });
    await response.arrayBuffer();
    return response;
  };

  /** Sends requests at once, alternating between the replicas. Ten per second pass; a slow machine may take longer than a second. */
  const expectTenASecond = async (client: Client, count: number) => {
    const begun = performance.now();
    const { passed, rejected, refusals } = await tally(client, count);
    const seconds = (performance.now() - begun) / 1_000;
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(10 * (1 + seconds));
    expect(passed + rejected).toBe(count);
    return { passed, refusals };
  };

  /** Sends requests at once, alternating between the replicas. */
  const tally = async (client: Client, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, at) => ask(client, at)));
    const refusals = answers.filter(({ status }) => status === 429);
    return {
      passed: answers.filter(({ status }) => status === 200).length,
      rejected: refusals.length,
      refusals,
    };
  };

  const areReady = async (): Promise<boolean> => {
    const answers = await Promise.all(managementUrls.map((url) => fetch(`${url}/health/ready`)));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.every(({ ok }) => ok);
  };

  it('T38: two gateway replicas with one Redis: share the limits per second and month, separately per tenant', async () => {
    const client = await make({ plan: 'free' });
    const other = await make({ plan: 'free' });
    await Promise.all([tally(client, 2), tally(other, 2)]); // known at both
    await sleep(1_010);
    const { passed, refusals } = await expectTenASecond(client, 110);
    expect(refusals[0]?.headers.get('retry-after')).toBe('1');
    expect(refusals[0]?.headers.get('ratelimit')).toMatch(/^"second";r=0;t=1, "month";r=\d+;t=\d+$/);
    // The next request is refused, too, unless the second is over by now.
    const next = await ask(client, 1);
    const left = 10_000 - 2 - passed - (next.status === 200 ? 1 : 0);
    expect(next.headers.get('ratelimit')).toMatch(new RegExp(String.raw`, "month";r=${left};t=\d+$`));
    expect(await tally(other, 5)).toMatchObject({ passed: 5, rejected: 0 });
    const monthly = await make({ plan: 'enterprise', requestsPerSecond: 1_000, requestsPerMonth: 37 });
    expect(await tally(monthly, 87)).toMatchObject({ passed: 37, rejected: 50 });
  });

  it('T38: two gateway replicas with one Redis: stay ready and split the limit while Redis restarts', async () => {
    const client = await make({ plan: 'free' });
    await tally(client, 2);
    await sleep(1_010);
    await redis.kill();
    await expectTenASecond(client, 60);
    expect(await areReady()).toBe(true);
    await sleep(1_010);
    await expectTenASecond(client, 60);
    const metrics = await (await fetch(`${managementUrls[0] ?? ''}/metrics`)).text();
    expect(metrics).toMatch(/^gateway_counter_store_failures_total\{.*\} [1-9]/m);
    await redis.start();
    await until('counted in Redis again', async () => {
      await tally(client, 2);
      return (await redis.command('KEYS {gatehouse:limit:*}:month')).startsWith('*1');
    });
    await sleep(1_510);
    await expectTenASecond(client, 60);
  });

  it('two gateway replicas with one Redis: are notified of a revoked key at once', async () => {
    const client = await make();
    expect(await tally(client, 4)).toMatchObject({ passed: 4, rejected: 0 });
    expect(await redis.command(`PUBSUB NUMSUB ${CREDENTIALS_CHANGED_CHANNEL}`)).toMatch(/:2$/);
    let notifications = 0;
    const listener = new Subscriber(redis.url, CREDENTIALS_CHANGED_CHANNEL, () => (notifications += 1));
    await until('listening', () => Promise.resolve(notifications === 1));
    await suite.clientCommand(['revoke-key', client.apiKey]);
    await until('notified', () => Promise.resolve(notifications === 2));
    listener.close();
    await until('rejected at both', async () => {
      const answers = await Promise.all([ask(client, 0), ask(client, 1)]);
      return answers.every(({ status }) => status === 401);
    });
  });
});
