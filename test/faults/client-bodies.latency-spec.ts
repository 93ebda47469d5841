import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { metric } from './product.js';
import { expectUndisturbed, median } from './latency.js';
import {
  type Answer,
  type Attack,
  attackWhile,
  FORM,
  INTERACTIONS,
  introspect,
  INTROSPECT,
  MAX_REQUESTS_UNDER_WAY,
  openSocket,
  sendBody,
} from './unfinished-bodies.js';

const ATTACK_MS = 2_500;
/** The gateway has read the headers before the body arrives. */
const AFTER_HEADERS_MS = 20;

/** Clients have addresses of their own: 127.0.1.x attack, 127.0.2.1 is the victim. */
describe('bodies that clients do not finish', () => {
  let upstream: EchoServer;
  let suite: RunningSuite;
  /** A gateway without attackers, for comparison. */
  let control: RunningApp;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    suite = await runningSuite({
      without: ['token-gating'],
      env: { ANALYTICS_URL: upstream.url, MAX_REQUESTS_UNDER_WAY },
    });
    control = await suite.anotherGateway();
    client = await suite.createClient({ scopes: ['community:analytics'] });
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
  });

  const victim = (gatewayUrl: string, bodyAfterMs = 0) => introspect(gatewayUrl, client, bodyAfterMs);

  it.each<[string, Attack]>([
    [
      'are answered early',
      {
        addresses: ['127.0.1.1'],
        perSecond: 30,
        bytes: `${INTROSPECT}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`,
        more: `1000\r\n${'x'.repeat(4_096)}\r\n`,
      },
    ],
    [
      'stall in chunks',
      {
        addresses: ['127.0.1.2'],
        perSecond: 50,
        bytes: `${INTROSPECT}${FORM}Transfer-Encoding: chunked\r\n\r\n1\r\nt\r\n`,
      },
    ],
    [
      'stall in chunks of a GET',
      {
        addresses: ['127.0.1.3'],
        perSecond: 50,
        bytes:
          'GET /.well-known/jwks.json HTTP/1.1\r\nHost: gatehouse\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nt\r\n',
      },
    ],
    [
      'stall after a byte, from four addresses',
      {
        addresses: ['127.0.1.4', '127.0.1.5', '127.0.1.6', '127.0.1.7'],
        perSecond: 50,
        bytes: `${INTROSPECT}${FORM}Content-Length: 100\r\n\r\nt`,
      },
    ],
  ])('T46: bodies that %s: do not affect other clients', async (_, how) => {
    const measured = { besides: [] as Answer[], alone: [] as Answer[] };
    const measure = async (order: (keyof typeof measured)[]): Promise<void> => {
      for (const which of order)
        measured[which].push(await victim(which === 'alone' ? control.url : suite.gatewayUrl));
    };
    for (let warmUp = 0; warmUp < 10; warmUp += 1) await measure(['besides', 'alone']);
    measured.besides.length = measured.alone.length = 0;
    await attackWhile(suite.gatewayUrl, how, async () => {
      const endsAtMs = performance.now() + ATTACK_MS;
      while (performance.now() < endsAtMs) {
        await measure(['besides', 'alone']);
        await measure(['alone', 'besides']);
        await sleep(50);
      }
    });
    for (const which of ['besides', 'alone'] as const)
      expect(measured[which].filter(({ status }) => status !== 200)).toEqual([]);
    const toMedian = (answers: readonly Answer[]) => median(answers.map(({ ms }) => ms));
    expectUndisturbed(toMedian(measured.besides), toMedian(measured.alone));
  });

  it('T68: bodies that fill the memory: leave room for the bodies of others', async () => {
    const clients = await Promise.all(
      Array.from({ length: 9 }, () => suite.createClient({ scopes: ['community:analytics'] })),
    );
    const attackers = clients.map(({ apiKey }, at) => ({
      sockets: new Set<Socket>(),
      address: `127.0.1.${40 + at}`,
      head: `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n`,
    }));
    const body = 'x'.repeat(1_000_000);
    // Opens connections for more than the gateway has memory for: of these, 129 fit. What it sheds while so much
    // arrives, attackers send again.
    const openMissing = (): void => {
      for (const { sockets, address, head } of attackers)
        while (sockets.size < 16)
          openSocket(suite.gatewayUrl, sockets, address, `${head}Content-Length: 1000001\r\n\r\n${body}`);
    };
    const memory = () => metric(suite.app('gateway'), 'gateway_request_body_bytes');
    await until('the memory is full', async () => {
      openMissing();
      return (await memory()) > 125_000_000;
    });
    const ms = { besides: [] as number[], alone: [] as number[] };
    for (let n = 0; n < 20; n += 1)
      for (const [which, url] of [
        ['alone', control.url],
        ['besides', suite.gatewayUrl],
      ] as const) {
        const answer = await victim(url, AFTER_HEADERS_MS);
        expect(answer).toMatchObject({ status: 200 });
        ms[which].push(answer.ms);
      }
    const { apiKey } = await suite.createClient({ scopes: ['community:analytics'] });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const large = JSON.stringify(['x'.repeat(900_000)]);
    expect(await sendBody(suite.gatewayUrl, INTERACTIONS, { headers, body: large })).toMatchObject({
      status: 200,
    });
    expect(await memory()).toBeGreaterThan(120_000_000);
    expectUndisturbed(median(ms.besides), median(ms.alone));
    for (const { sockets } of attackers) for (const socket of sockets) socket.destroy();
    await until('the memory is free', async () => (await memory()) === 0);
  });
});
