import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { Load } from './load.js';
import { expectUndisturbed, median } from './latency.js';
import { metric } from './product.js';

const ATTACK_MS = 3_000;
const ATTACKING_CONNECTIONS = 30;
/** The gateway sets its gauge of requests in flight twice in this time. */
const GAUGE_INTERVAL_MS = 500;

interface Answer {
  status: number;
  ms: number;
}

const MAX_REQUESTS_UNDER_WAY = 40;
/** The sixteenth is admitted with 25 places free: 25² / 40 is above 15. */
const SHARE_OF_ONE = 16;

let upstream: EchoServer;
let suite: RunningSuite;
/** A gateway without attackers, for comparison. */
let control: RunningApp;
let client: Client;

beforeAll(async () => {
  upstream = await echoServer();
  suite = await runningSuite({
    without: ['token-gating'],
    env: { ANALYTICS_URL: upstream.url, MAX_REQUESTS_UNDER_WAY: String(MAX_REQUESTS_UNDER_WAY) },
  });
  control = await suite.anotherGateway();
  client = await suite.createClient({ scopes: ['user:read'] });
});

afterAll(async () => {
  await suite.stop();
  await upstream.stop();
});

const get = (url: string, localAddress: string, agent: Agent, headers = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const startMs = performance.now();
    httpRequest(url, { headers, localAddress, agent }, (response) => {
      readText(response).then(() => {
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - startMs });
      }, reject);
    })
      .on('error', reject)
      .end();
  });

/** The victim has an address and a key of its own. */
const victim = async (gatewayUrl: string, agent: Agent): Promise<Answer> =>
  get(`${gatewayUrl}/.well-known/jwks.json`, '127.0.2.1', agent, { 'x-api-key': client.apiKey });

it('T65: gateway shares: an address that loads the API explorer all the time does not affect other clients', async () => {
  const agent = new Agent({ keepAlive: true });
  const measured = { besides: [] as Answer[], alone: [] as Answer[] };
  const measure = async (): Promise<void> => {
    measured.alone.push(await victim(control.url, agent));
    measured.besides.push(await victim(suite.gatewayUrl, agent));
  };
  for (let warmUp = 0; warmUp < 10; warmUp += 1) await measure();
  measured.besides.length = measured.alone.length = 0;
  const attack = async () => {
    const { status } = await get(`${suite.gatewayUrl}/explorer/swagger-ui-init.js`, '127.0.1.1', agent);
    return { sentAt: 0, at: 0, status };
  };
  const attackers = new Load(ATTACKING_CONNECTIONS, attack, 20);
  const endsAtMs = performance.now() + ATTACK_MS;
  while (performance.now() < endsAtMs) {
    await measure();
    await sleep(20);
  }
  const attacks = await attackers.stop();
  agent.destroy();
  expect(new Set(attacks.map(({ status }) => status))).toEqual(new Set([200, 429]));
  for (const which of ['besides', 'alone'] as const)
    expect(measured[which].filter(({ status }) => status !== 200)).toEqual([]);
  const toMedian = (answers: readonly Answer[]) => median(answers.map(({ ms }) => ms));
  expectUndisturbed(toMedian(measured.besides), toMedian(measured.alone));
});

it('T66: gateway shares: requests of one tenant that wait for a slow app leave others their places', async () => {
  const agent = new Agent({ keepAlive: true });
  const slow = await suite.createClient({ scopes: ['community:analytics'] });
  const ask = () =>
    get(`${suite.gatewayUrl}/analytics/c/wallet-connections`, '127.0.1.2', agent, {
      'x-api-key': slow.apiKey,
    });
  for (const gatewayUrl of [control.url, suite.gatewayUrl])
    expect((await victim(gatewayUrl, agent)).status).toBe(200);
  expect((await ask()).status).toBe(200);
  const waiting: (() => void)[] = [];
  upstream.answerWith((_, response) => waiting.push(() => response.end('[]')));
  let refused = 0;
  const answers = Array.from({ length: 2 * MAX_REQUESTS_UNDER_WAY }, async () => {
    const { status } = await ask();
    if (status === 429) refused += 1;
    return status;
  });
  await until(
    'each request waits for the app or was refused',
    () => waiting.length + refused === answers.length,
  );
  const admitted = waiting.length;
  // A place is missing while an earlier request still holds it.
  expect([SHARE_OF_ONE - 1, SHARE_OF_ONE]).toContain(admitted);
  for (const gatewayUrl of [control.url, suite.gatewayUrl])
    for (let n = 0; n < 5; n += 1) expect((await victim(gatewayUrl, agent)).status).toBe(200);
  upstream.answerWith();
  for (const answer of waiting) answer();
  const statuses = await Promise.all(answers);
  expect(statuses.filter((status) => status === 200)).toHaveLength(admitted);
  agent.destroy();
});

it('T67: gateway shares: clients that do not read their responses take no places from others', async () => {
  const agent = new Agent({ keepAlive: true });
  const { hostname: host, port } = new URL(suite.gatewayUrl);
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: gatehouse\r\n\r\n';
  const attackers = Array.from({ length: 8 }, (_, at) => {
    const socket = connect({ host, port: Number(port), localAddress: `127.0.3.${String(at + 1)}` });
    socket.on('error', () => undefined);
    // The client writes more than the system buffers for a connection.
    socket.pause().write(request.repeat(50));
    return socket;
  });
  const countAnswered = () =>
    suite.app('gateway').logLines.filter((line) => line.includes('"status":499')).length;
  for (let n = 0; n < 10; n += 1) {
    for (const gatewayUrl of [control.url, suite.gatewayUrl])
      expect((await victim(gatewayUrl, agent)).status).toBe(200);
    await sleep(50);
  }
  const unread = countAnswered();
  for (const socket of attackers) socket.destroy();
  await until('the gateway held responses that were not read', () => countAnswered() > unread + 40);
  await sleep(GAUGE_INTERVAL_MS);
  await until(
    'all places are free',
    async () => (await metric(suite.app('gateway'), 'gateway_requests_in_flight')) === 0,
  );
  agent.destroy();
});
