import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queryDatabase } from '../identity/query-database.js';
import type { Client, ClientOptions } from '../support/create-client.js';
import { envelopeOf } from '../support/envelope.js';
import { measureBurst } from '../support/measure-burst.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { leaseEchoedGateway } from './echoed-gateway.js';

const scopes = ['community:analytics'];

/** Expects `perSecond` admitted for each second that a burst took: exactly the limit on a fast machine. */
function expectPerSecond(admitted: number, perSecond: number, windows: number): void {
  expect(admitted).toBeGreaterThanOrEqual(perSecond);
  expect(admitted).toBeLessThanOrEqual(perSecond * windows);
}

describe('rate limits of a tenant', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    ({ suite } = await leaseEchoedGateway());
  });

  const createClient = (options: ClientOptions) => suite.createClient({ scopes, ...options });

  const request = (
    { apiKey }: Pick<Client, 'apiKey'>,
    path = '/analytics/c/wallet-connections',
    url = suite.gatewayUrl,
  ) => fetch(`${url}${path}`, { headers: { 'X-API-Key': apiKey } });

  const readStatuses = async (responses: Response[]): Promise<number[]> => {
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    return responses.map(({ status }) => status);
  };

  const sendBurst = (client: Client, count: number, path?: string): Promise<Response[]> =>
    Promise.all(Array.from({ length: count }, () => request(client, path)));

  /** Sends requests at once and expects each to be admitted, with `status`, or refused. */
  const tally = async (client: Client, count: number, path?: string, status = 200) => {
    const { result, windows } = await measureBurst(async () =>
      readStatuses(await sendBurst(client, count, path)),
    );
    const admitted = result.filter((one) => one === status).length;
    const refused = result.filter((one) => one === 429).length;
    expect(admitted + refused).toBe(count);
    return { admitted, refused, windows };
  };

  /** Length of the calendar month (UTC) in which a response was sent. */
  const getSecondsOfMonth = (response: Response): number => {
    const sent = new Date(response.headers.get('date') ?? '');
    const [year, month] = [sent.getUTCFullYear(), sent.getUTCMonth()];
    return (Date.UTC(year, month + 1, 1) - Date.UTC(year, month, 1)) / 1_000;
  };

  it('rate limits of a tenant: refuses the eleventh request of a second on the free plan, with headers and an error', async () => {
    const client = await createClient({ plan: 'free' });
    // The gateway leases a share of the month with the first request, and counts the others itself.
    expect((await request(client)).status).toBe(200);
    await sleep(1_010);
    const { result: responses, windows } = await measureBurst(() => sendBurst(client, 60));
    const admitted = responses.filter(({ status }) => status === 200).length;
    expectPerSecond(admitted, 10, windows);
    const refused = responses.find(({ status }) => status === 429);
    if (!refused) throw new Error(`None of 60 requests was refused in ${windows} seconds`);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('10');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    const sentMs = Date.parse(refused.headers.get('date') ?? '');
    expect(Date.parse(refused.headers.get('x-ratelimit-reset') ?? '')).toBeGreaterThan(sentMs - 2_000);
    expect(refused.headers.get('ratelimit-policy')).toBe(
      `"second";q=10;w=1, "month";q=10000;w=${String(getSecondsOfMonth(refused))}`,
    );
    const left = /^"second";r=0;t=1, "month";r=(\d+);t=\d+$/.exec(
      refused.headers.get('ratelimit') ?? '',
    )?.[1];
    expect(Number(left)).toBeLessThanOrEqual(10_000 - 10);
    expect(Number(left)).toBeGreaterThanOrEqual(10_000 - 1 - admitted);
    expect(await envelopeOf(refused)).toMatchObject({
      name: 'TooManyRequestsError',
      details: { code: 'second_limit_exceeded' },
    });
    const other = await createClient({ plan: 'free' });
    expect((await request(other)).status).toBe(200);
  });

  it('rate limits of a tenant: admits requests again after a second', async () => {
    const client = await createClient({ plan: 'free' });
    const { admitted, windows } = await tally(client, 12);
    expectPerSecond(admitted, 10, windows);
    await sleep(1_010);
    expect((await request(client)).status).toBe(200);
  });

  it.each([
    ['free', 10],
    ['paid', 15],
  ] as const)(
    'rate limits of a tenant: admits a burst on the %s plan up to %i requests per second',
    async (plan, limit) => {
      const client = await createClient({ plan });
      const { admitted, windows } = await tally(client, limit + 50);
      expectPerSecond(admitted, limit, windows);
    },
  );

  it('rate limits of a tenant: admits exactly the limit of an enterprise month, and does not count refused requests', async () => {
    const client = await createClient({ plan: 'enterprise', requestsPerSecond: 1_000, requestsPerMonth: 37 });
    // The first lease may time out on a busy machine; from then on the gateway knows the usage of the month.
    expect((await request(client)).status).toBe(200);
    expect(await tally(client, 86)).toMatchObject({ admitted: 36, refused: 50 });
    const refused = await request(client);
    expect(await envelopeOf(refused)).toMatchObject({ details: { code: 'month_limit_exceeded' } });
    const now = new Date();
    expect(refused.headers.get('x-ratelimit-reset')).toBe(
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('37');
  });

  it('rate limits of a tenant: counts requests for unknown paths and documents, too', async () => {
    const client = await createClient({ plan: 'free' });
    const { admitted, windows } = await tally(client, 30, '/openapi.json');
    expectPerSecond(admitted, 10, windows);
    await sleep(1_010);
    const unknown = await tally(client, 30, '/no/such/path', 404);
    expectPerSecond(unknown.admitted, 10, unknown.windows);
  });

  it('rate limits of a tenant: counts guessed tokens beside a valid key on the address', async () => {
    const { apiKey } = await createClient({ plan: 'enterprise' });
    await request({ apiKey });
    const { result, windows } = await measureBurst(async () =>
      readStatuses(
        await Promise.all(
          Array.from({ length: 100 }, () =>
            fetch(`${suite.gatewayUrl}/openapi.json`, {
              headers: { 'X-API-Key': apiKey, Authorization: 'Bearer guess' },
            }),
          ),
        ),
      ),
    );
    const refused = result.filter((status) => status === 429).length;
    expect(refused).toBeGreaterThanOrEqual(100 - 60 * windows);
    await sleep(1_010);
  });

  it('rate limits of a tenant: counts requests without the required scope', async () => {
    const client = await createClient({ plan: 'enterprise', requestsPerMonth: 3, scopes: ['accountkit'] });
    expect((await request(client)).status).toBe(403);
    expect(await tally(client, 3, undefined, 403)).toMatchObject({ admitted: 2, refused: 1 });
  });

  it('rate limits of a tenant: sends the headers with every response, also without a key', async () => {
    for (const path of ['/.well-known/jwks.json', '/account/me', '/no/such/path', '/openapi.json']) {
      const response = await fetch(`${suite.gatewayUrl}${path}`);
      await response.arrayBuffer();
      expect(response.headers.get('x-ratelimit-limit')).toBe('60');
      expect(response.headers.get('ratelimit-policy')).toBe('"address";q=60;w=1');
      expect(response.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=1$/);
    }
  });

  it('rate limits of a tenant: stores the usage and returns the unused lease when the gateway stops', async () => {
    const client = await createClient({ plan: 'enterprise', requestsPerMonth: 1_000_000 });
    const gateway = await suite.anotherGateway();
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => request(client, undefined, gateway.url)));
    expect(await readStatuses(responses)).toEqual([200, 200, 200, 200, 200]);
    expect(await gateway.stop()).toBe(0);
    const usage = 'SELECT used FROM gateway.month_usage WHERE holder_id = $1';
    expect(await queryDatabase(suite.databaseUrl, usage, [client.ownerId])).toEqual([{ used: '5' }]);
  });
});

describe('the rate limit of an address', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    suite = await runningSuite({
      without: ['token-gating'],
      env: { ADDRESS_REQUESTS_PER_SECOND: '20', TRUSTED_PROXIES: '127.0.0.1' },
    });
  });

  afterAll(async () => {
    await suite.stop();
  });

  /** Sends 30 requests of each address at once. */
  const flood = async (...addresses: string[]) => {
    const { result, windows } = await measureBurst(() =>
      Promise.all(
        addresses.flatMap((address) =>
          Array.from({ length: 30 }, async () => {
            const headers = { 'X-Forwarded-For': address };
            const response = await fetch(`${suite.gatewayUrl}/account/me`, { headers });
            await response.arrayBuffer();
            return response.status;
          }),
        ),
      ),
    );
    const refused = result.filter((status) => status === 429).length;
    return { admitted: result.length - refused, refused, windows };
  };

  it('rate limit of an address: applies to the address from a trusted proxy, with one limit per IPv4 address and IPv6 network', async () => {
    for (const addresses of [
      ['203.0.113.9'],
      ['203.0.113.10'],
      ['2001:db8::1', '2001:db8::2', '2001:db8::ffff:3'],
    ]) {
      const { admitted, windows } = await flood(...addresses);
      expectPerSecond(admitted, 20, windows);
    }
  });
  it('rate limit of an address: is a page for browsers that says when to go on', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.11', Accept: 'text/html,*/*;q=0.8' };
    const load = async () => {
      const response = await fetch(`${suite.gatewayUrl}/login`, { headers });
      return { status: response.status, html: await response.text() };
    };
    const pages = await Promise.all(Array.from({ length: 30 }, load));
    const refused = pages.find(({ status }) => status === 429);
    expect(refused?.html).toContain('<h1>Too many requests</h1>');
    expect(refused?.html).toMatch(/Reload this page in (?:a second|\d+ seconds)\./);
  });
});
