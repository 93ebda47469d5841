import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { metric } from './product.js';
import { expectUndisturbed, median } from './latency.js';

jest.setTimeout(60_000);

const ATTACK_MS = 4_000;
/** Requests of two attacking addresses exceed it within a second. */
const MAX_REQUESTS_UNDER_WAY = '100';

/** The gateway has read the headers before the body arrives. */
const AFTER_HEADERS_MS = 20;

const INTROSPECT = 'POST /oauth2/introspect HTTP/1.1\r\nHost: gatehouse\r\n';
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';
const INTERACTIONS = '/analytics/c/roles-added';

interface Answer {
  status: number;
  code: string | undefined;
  ms: number;
}

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

  const send = (
    gatewayUrl: string,
    path: string,
    {
      headers = {},
      body = '',
      method = 'POST',
      localAddress = '127.0.2.1',
      isWhole = true,
      bodyAfterMs = 0,
    }: SendOptions = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const startMs = performance.now();
      const outgoing = httpRequest(gatewayUrl + path, { method, headers, localAddress, agent: false });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        readText(response).then((text) => {
          const { error } = JSON.parse(text || '{}') as { error?: { details?: { code?: string } } };
          const ms = performance.now() - startMs;
          resolve({ status: response.statusCode ?? 0, code: error?.details?.code, ms });
        }, reject);
      });
      const sendBody = (): void => {
        outgoing.write(body);
        if (isWhole) outgoing.end();
      };
      if (bodyAfterMs === 0) {
        sendBody();
      } else {
        outgoing.flushHeaders();
        setTimeout(sendBody, bodyAfterMs);
      }
    });

  const victim = (gatewayUrl: string, bodyAfterMs = 0): Promise<Answer> => {
    const authorization = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    return send(gatewayUrl, '/oauth2/introspect', { headers, body: 'token=unknown', bodyAfterMs });
  };

  const open = (sockets: Set<Socket>, localAddress: string, bytes: string): Socket => {
    const { hostname, port } = new URL(suite.gatewayUrl);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    socket.resume().write(bytes);
    return socket;
  };

  /** Opens a connection from each address at this rate while `work` runs, and destroys all of them afterwards. */
  const attack = async <T>(
    { addresses, perSecond, bytes, more = '' }: Attack,
    work: () => Promise<T>,
  ): Promise<T> => {
    const sockets = new Set<Socket>();
    const timer = setInterval(() => {
      for (const address of addresses) {
        const socket = open(sockets, address, bytes);
        const sending = setInterval(() => socket.write(more), 100);
        socket.on('close', () => {
          clearInterval(sending);
        });
      }
    }, 1_000 / perSecond);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    }
  };

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
  ])('T46: that %s do not affect other clients', async (_, how) => {
    const measured = { besides: [] as Answer[], alone: [] as Answer[] };
    const measure = async (order: (keyof typeof measured)[]): Promise<void> => {
      for (const which of order)
        measured[which].push(await victim(which === 'alone' ? control.url : suite.gatewayUrl));
    };
    for (let warmUp = 0; warmUp < 10; warmUp += 1) await measure(['besides', 'alone']);
    measured.besides.length = measured.alone.length = 0;
    await attack(how, async () => {
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

  it('T46: that stall never keep a circuit breaker open', async () => {
    const ask = async (): Promise<number> => {
      const headers = { 'x-api-key': client.apiKey };
      return (await send(suite.gatewayUrl, '/analytics/c/wallet-connections', { method: 'GET', headers }))
        .status;
    };
    expect(await ask()).toBe(200);
    const port = Number(new URL(upstream.url).port);
    await upstream.stop();
    await until('the circuit breaker is open', async () => (await ask()) === 503, 10_000);
    const stalled = `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${client.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n[`;
    await attack({ addresses: ['127.0.1.8'], perSecond: 20, bytes: stalled }, async () => {
      await sleep(500);
      upstream = await echoServer(port);
      await until('the upstream is used again', async () => (await ask()) === 200, 10_000);
    });
  });

  it('take nothing from others once their clients are gone', async () => {
    const sockets = new Set<Socket>();
    const reset = async (bytes: string, afterMs: number): Promise<void> => {
      const socket = open(sockets, '127.0.1.10', bytes);
      await once(socket, 'connect');
      await sleep(afterMs);
      socket.resetAndDestroy();
    };
    const key = `X-API-Key: ${client.apiKey}\r\n`;
    upstream.answerWith((_, response) => setTimeout(() => response.end('[]'), 300));
    // Pipelined: their responses wait for each other.
    const pipelined = `GET /analytics/c/wallet-connections HTTP/1.1\r\nHost: gatehouse\r\n${key}\r\n`.repeat(
      20,
    );
    const unfinished = `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\n${key}Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n[`;
    for (let sent = 0; sent < 20; sent += 1) await reset(pipelined, 100);
    for (let sent = 0; sent < 80; sent += 1) await reset(unfinished, 20);
    upstream.answerWith();
    const inFlight = () => metric(suite.app('gateway'), 'gateway_requests_in_flight');
    await until('no request is in flight', async () => (await inFlight()) === 0, 10_000);
    expect(await victim(suite.gatewayUrl)).toMatchObject({ status: 200 });
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify(['x'.repeat(90_000)]);
    expect(await send(suite.gatewayUrl, INTERACTIONS, { headers, body })).toMatchObject({ status: 200 });
  });

  it('are bounded for each address, and for each tenant', async () => {
    const sockets = new Set<Socket>();
    const address = '127.0.1.9';
    const pending = `${INTROSPECT}${FORM}Content-Length: 100\r\n\r\nt`;
    for (let opened = 0; opened < 80; opened += 1) {
      open(sockets, address, pending);
      await sleep(20); // below the rate limit of an address
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '100' };
    const unfinished = { localAddress: address, headers, body: 't', isWhole: false };
    const refused = await send(suite.gatewayUrl, '/oauth2/introspect', unfinished);
    expect(refused).toMatchObject({ status: 429, code: 'upload_limit_exceeded' });
    for (const socket of sockets) socket.destroy();

    const large = `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${client.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${'['.repeat(900_000)}`;
    for (let opened = 0; opened < 40; opened += 1) open(sockets, `127.0.1.${20 + (opened % 4)}`, large);
    const report = ({ apiKey }: Client) => {
      const ofCaller = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const body = JSON.stringify(['x'.repeat(900_000)]);
      return send(suite.gatewayUrl, INTERACTIONS, { headers: ofCaller, body });
    };
    // Asking may also exceed the rate limit for a moment, which is another refusal.
    await until(
      'the share of the tenant is used up',
      async () => (await report(client)).code === 'upload_limit_exceeded',
    );
    const other = await suite.createClient({ scopes: ['community:analytics'] });
    expect(await report(other)).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });

  it('T68: that fill the memory leave room for the bodies of others', async () => {
    const sockets = new Set<Socket>();
    const attackers = await Promise.all(
      Array.from({ length: 9 }, () => suite.createClient({ scopes: ['community:analytics'] })),
    );
    const body = 'x'.repeat(1_000_000);
    // More than the gateway has memory for: of these, 129 fit.
    for (const [at, { apiKey }] of attackers.entries())
      for (let opened = 0; opened < 16; opened += 1)
        open(
          sockets,
          `127.0.1.${40 + at}`,
          `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000001\r\n\r\n${body}`,
        );
    const memory = () => metric(suite.app('gateway'), 'gateway_request_body_bytes');
    await until('the memory is full', async () => (await memory()) > 125_000_000);
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
    expect(await send(suite.gatewayUrl, INTERACTIONS, { headers, body: large })).toMatchObject({
      status: 200,
    });
    expect(await memory()).toBeGreaterThan(120_000_000);
    expectUndisturbed(median(ms.besides), median(ms.alone));
    for (const socket of sockets) socket.destroy();
    await until('the memory is free', async () => (await memory()) === 0);
  });

  it('may have 64 KiB where no caller is needed', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' };
    const tooLarge = await send(suite.gatewayUrl, '/oauth2/introspect', {
      headers,
      body: 'x'.repeat(65 * 1024),
    });
    expect(tooLarge).toMatchObject({ status: 413, code: 'body_limit_exceeded' });
  });
});

interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  localAddress?: string;
  /** Whether the body is sent to its end. */
  isWhole?: boolean;
  /** How long after the headers: the gateway does not wait for a body that arrives with them. */
  bodyAfterMs?: number;
}

interface Attack {
  addresses: string[];
  /** Connections per address. */
  perSecond: number;
  /** What each of them sends first. */
  bytes: string;
  /** What it sends ten times a second after that, also after an early response. */
  more?: string;
}
