import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Client, ClientOptions } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const scopes = ['community:analytics'];

describe('rate limits', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;

  beforeAll(async () => {
    upstream = await echoServer();
    suite = await runningSuite({ env: { ANALYTICS_URL: upstream.url } });
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
  });

  const make = (options: ClientOptions) => suite.createClient({ scopes, ...options });

  const ask = ({ apiKey }: Pick<Client, 'apiKey'>, path = '/analytics/c/wallet-connections') =>
    fetch(`${suite.gatewayUrl}${path}`, { headers: { 'X-API-Key': apiKey } });

  const statuses = async (client: Client, count: number, path?: string) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(client, path)));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.map(({ status }) => status);
  };

  const tally = (all: number[]) => ({
    passed: all.filter((status) => status === 200).length,
    rejected: all.filter((status) => status === 429).length,
  });

  /** The length of the calendar month (UTC) of a response. */
  const secondsOfMonth = (answer: Response): number => {
    const sent = new Date(answer.headers.get('date') ?? '');
    const [year, month] = [sent.getUTCFullYear(), sent.getUTCMonth()];
    return (Date.UTC(year, month + 1, 1) - Date.UTC(year, month, 1)) / 1_000;
  };

  it('reject the eleventh request of a second on the free plan, with all headers', async () => {
    const client = await make({ plan: 'free' });
    for (let request = 1; request <= 10; request += 1) expect((await ask(client)).status).toBe(200);
    const rejected = await ask(client);
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect(rejected.headers.get('x-ratelimit-limit')).toBe('10');
    expect(rejected.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Date.parse(rejected.headers.get('x-ratelimit-reset') ?? '')).toBeGreaterThan(Date.now() - 2_000);
    expect(rejected.headers.get('ratelimit-policy')).toBe(
      `"second";q=10;w=1, "month";q=10000;w=${String(secondsOfMonth(rejected))}`,
    );
    expect(rejected.headers.get('ratelimit')).toMatch(/^"second";r=0;t=1, "month";r=9990;t=\d+$/);
    expect(await envelopeOf(rejected)).toMatchObject({
      name: 'TooManyRequestsError',
      details: { code: 'second_limit_exceeded' },
    });
    const other = await make({ plan: 'free' });
    expect((await ask(other)).status).toBe(200);
  });

  it('admit requests again after a second', async () => {
    const client = await make({ plan: 'free' });
    expect(tally(await statuses(client, 12))).toEqual({ passed: 10, rejected: 2 });
    await sleep(1_010);
    expect((await ask(client)).status).toBe(200);
  });

  it.each([
    ['free', 10],
    ['paid', 15],
  ] as const)(
    'lets exactly %s plan’s %i of that many and fifty more through at once',
    async (plan, limit) => {
      const client = await make({ plan });
      expect(tally(await statuses(client, limit + 50))).toEqual({ passed: limit, rejected: 50 });
    },
  );

  it('count an enterprise month exactly, without rejected requests', async () => {
    const client = await make({ plan: 'enterprise', requestsPerSecond: 1_000, requestsPerMonth: 37 });
    expect(tally(await statuses(client, 87))).toEqual({ passed: 37, rejected: 50 });
    const rejected = await ask(client);
    expect(await envelopeOf(rejected)).toMatchObject({ details: { code: 'month_limit_exceeded' } });
    const midnight = new Date();
    expect(rejected.headers.get('x-ratelimit-reset')).toBe(
      new Date(Date.UTC(midnight.getUTCFullYear(), midnight.getUTCMonth() + 1, 1)).toISOString(),
    );
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(rejected.headers.get('x-ratelimit-limit')).toBe('37');
  });

  it('count unknown paths and the document towards the key', async () => {
    const client = await make({ plan: 'free' });
    expect(tally(await statuses(client, 30, '/openapi.json'))).toEqual({ passed: 10, rejected: 20 });
    await sleep(1_010);
    const missing = await statuses(client, 30, '/no/such/path');
    expect(missing.filter((status) => status === 404)).toHaveLength(10);
    expect(missing.filter((status) => status === 429)).toHaveLength(20);
  });

  it('count invalid tokens beside a valid key towards the IP address', async () => {
    const { apiKey } = await make({ plan: 'enterprise' });
    await ask({ apiKey });
    const guesses = await Promise.all(
      Array.from({ length: 100 }, () =>
        fetch(`${suite.gatewayUrl}/openapi.json`, {
          headers: { 'X-API-Key': apiKey, Authorization: 'Bearer guess' },
        }),
      ),
    );
    const rejected = guesses.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThanOrEqual(40);
    await Promise.all(guesses.map((guess) => guess.arrayBuffer()));
    await sleep(1_010);
  });

  it('count requests without the scope', async () => {
    const client = await make({ plan: 'enterprise', requestsPerMonth: 3, scopes: ['accountkit'] });
    expect(await statuses(client, 4)).toEqual(expect.arrayContaining([403, 403, 403, 429]));
  });

  it('set the headers on every response, also without a key', async () => {
    for (const path of ['/.well-known/jwks.json', '/account/me', '/no/such/path', '/openapi.json']) {
      const response = await fetch(`${suite.gatewayUrl}${path}`);
      await response.arrayBuffer();
      expect(response.headers.get('x-ratelimit-limit')).toBe('60');
      expect(response.headers.get('ratelimit-policy')).toBe('"address";q=60;w=1');
      expect(response.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=1$/);
    }
  });

  it('write the used requests at shutdown and return the rest of the lease', async () => {
    const client = await make({ plan: 'enterprise', requestsPerMonth: 1_000_000 });
    expect(tally(await statuses(client, 5))).toEqual({ passed: 5, rejected: 0 });
    expect(await suite.app('gateway').stop()).toBe(0);
    const database = new pg.Client({ connectionString: suite.databaseUrl });
    await database.connect();
    const { rows } = await database.query<{ used: string }>(
      'SELECT used FROM gateway.month_usage WHERE used < 100',
    );
    await database.end();
    expect(rows.map(({ used }) => used)).toContain('5');
  });
});

describe('the rate limit per IP address', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    suite = await runningSuite({ env: { ADDRESS_REQUESTS_PER_SECOND: '20', TRUSTED_PROXIES: '127.0.0.1' } });
  });

  afterAll(async () => {
    await suite.stop();
  });

  const flood = async (forwardedFor: string) => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        fetch(`${suite.gatewayUrl}/account/me`, { headers: { 'X-Forwarded-For': forwardedFor } }),
      ),
    );
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.filter(({ status }) => status === 429).length;
  };

  it('uses the address from a trusted proxy, per IPv4 address and per IPv6 network', async () => {
    expect(await flood('203.0.113.9')).toBe(10);
    expect(await flood('203.0.113.10')).toBe(10);
    const rejected = await Promise.all(['2001:db8::1', '2001:db8::2', '2001:db8::ffff:3'].map(flood));
    expect(rejected.reduce((sum, count) => sum + count)).toBe(70);
  });
});
