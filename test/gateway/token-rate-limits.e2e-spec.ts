import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { measureBurst } from '../support/measure-burst.js';
import {
  type GatewayWithTokens,
  startGatewayWithTokens,
  waitUntilChangesAreApplied,
} from './gateway-with-tokens.js';

describe('rate limits with tokens', () => {
  let running: GatewayWithTokens;

  beforeAll(async () => {
    running = await startGatewayWithTokens({
      without: ['token-gating'],
      env: { ADDRESS_REQUESTS_PER_SECOND: '30' },
    });
  });

  afterAll(async () => {
    await running.stop();
  });

  const burst = async (count: number, headers: (at: number) => Record<string, string>) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, at) => running.ask('/openapi.json', headers(at))),
    );
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.map(({ status }) => status);
  };
  const count = (all: number[], wanted: number) => all.filter((status) => status === wanted).length;

  it('rate limits with tokens: apply to the tenant of the client application, over API keys and tokens', async () => {
    const client = await running.suite.createClient({ plan: 'free' });
    const { mint } = running;
    const tokens = [
      `Bearer ${mint.bearer(mint.accessClaims(client.clientId))}`,
      `AE ${mint.aeToken(mint.aeClaims(client.clientId))}`,
      `Ethereum ${await mint.credential({ clientId: client.clientId })}`,
    ];
    const headers = [
      { 'X-API-Key': client.apiKey },
      ...tokens.map((Authorization) => ({ Authorization, 'X-API-Key': client.apiKey })),
      ...tokens.map((Authorization) => ({ Authorization })),
    ];
    for (const one of headers) expect((await running.ask('/openapi.json', one)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    const { result: all, windows } = await measureBurst(() =>
      burst(35, (at) => headers[at % headers.length] ?? {}),
    );
    expect(count(all, 200)).toBeGreaterThanOrEqual(10);
    expect(count(all, 200)).toBeLessThanOrEqual(10 * windows);
    expect(count(all, 200) + count(all, 429)).toBe(35);
  });

  it('rate limits with tokens: count one request of a burst towards the IP address while a changed plan is loaded', async () => {
    const { suite, identityProxy, mint } = running;
    const client = await suite.createClient();
    const ask = () => ({ Authorization: token });
    const token = `Bearer ${mint.bearer(mint.accessClaims(client.clientId))}`;
    expect(await burst(1, ask)).toEqual([200]);
    await suite.clientCommand([
      ...['set-plan', client.ownerId, '--plan', 'enterprise'],
      ...['--requests-per-second', '400', '--requests-per-month', '1000000'],
    ]);
    await waitUntilChangesAreApplied(running);
    const countLoads = () =>
      identityProxy.requests.filter((one) => one === 'POST /internal/client-plans').length;
    const loads = countLoads();
    const all = await burst(60, ask);
    expect(all.filter((status) => status !== 200)).toEqual([]);
    expect(countLoads()).toBe(loads + 1);
  });

  it('rate limits with tokens: apply to the IP address for unverified tokens, not for verified ones', async () => {
    const client = await running.suite.createClient();
    const token = `Bearer ${running.mint.bearer(running.mint.accessClaims(client.clientId))}`;
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    expect((await running.ask('/openapi.json', { Authorization: token })).status).toBe(200);
    const verified = await burst(100, () => ({ Authorization: token }));
    expect(verified.filter((status) => status !== 200)).toEqual([]);
    const { result: guesses, windows } = await measureBurst(() =>
      burst(100, (at) => ({ Authorization: `${token}${String(at)}` })),
    );
    expect(count(guesses, 401)).toBeLessThanOrEqual(30 * windows);
    expect(count(guesses, 429)).toBeGreaterThanOrEqual(100 - 30 * windows);
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    const besideKey = await measureBurst(() =>
      burst(100, (at) => ({ Authorization: `Bearer ${String(at)}`, 'X-API-Key': client.apiKey })),
    );
    expect(count(besideKey.result, 429)).toBeGreaterThanOrEqual(100 - 30 * besideKey.windows);
  });
});
