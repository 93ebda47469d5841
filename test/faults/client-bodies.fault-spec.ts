import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { metric } from './product.js';
import {
  type Answer,
  attackWhile,
  FORM,
  INTERACTIONS,
  introspect,
  INTROSPECT,
  MAX_REQUESTS_UNDER_WAY,
  openSocket,
  sendBody,
  type SendOptions,
} from './unfinished-bodies.js';

/** client-bodies.latency-spec.ts compares the latencies of others beside them. */
describe('bodies that clients do not finish', () => {
  let upstream: EchoServer;
  let suite: RunningSuite;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    suite = await runningSuite({
      without: ['token-gating'],
      // A gateway that stood still for a second gets what was sent meanwhile at once.
      env: { ANALYTICS_URL: upstream.url, MAX_REQUESTS_UNDER_WAY, ADDRESS_REQUESTS_PER_SECOND: '100000' },
    });
    client = await suite.createClient({ scopes: ['community:analytics'] });
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
  });

  const send = (path: string, options: SendOptions): Promise<Answer> =>
    sendBody(suite.gatewayUrl, path, options);
  const open = (sockets: Set<Socket>, localAddress: string, bytes: string): Socket =>
    openSocket(suite.gatewayUrl, sockets, localAddress, bytes);

  it('T46: bodies that stall: never keep a circuit breaker open', async () => {
    const ask = async (): Promise<number> => {
      const headers = { 'x-api-key': client.apiKey };
      return (await send('/analytics/c/wallet-connections', { method: 'GET', headers })).status;
    };
    expect(await ask()).toBe(200);
    const port = Number(new URL(upstream.url).port);
    await upstream.stop();
    await until('the circuit breaker is open', async () => (await ask()) === 503, 10_000);
    const stalled = `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${client.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n[`;
    await attackWhile(
      suite.gatewayUrl,
      { addresses: ['127.0.1.8'], perSecond: 20, bytes: stalled },
      async () => {
        await sleep(500);
        upstream = await echoServer(port);
        await until('the upstream is used again', async () => (await ask()) === 200, 10_000);
      },
    );
  });

  it('bodies that clients do not finish: take nothing from others once their clients are gone', async () => {
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
    expect(await introspect(suite.gatewayUrl, client)).toMatchObject({ status: 200 });
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify(['x'.repeat(90_000)]);
    expect(await send(INTERACTIONS, { headers, body })).toMatchObject({ status: 200 });
  });

  it('bodies that clients do not finish: are bounded for each address, and for each tenant', async () => {
    const sockets = new Set<Socket>();
    const address = '127.0.1.9';
    const pending = `${INTROSPECT}${FORM}Content-Length: 100\r\n\r\nt`;
    for (let opened = 0; opened < 80; opened += 1) {
      open(sockets, address, pending);
      await sleep(20);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '100' };
    const unfinished = { localAddress: address, headers, body: 't', isWhole: false };
    const refused = await send('/oauth2/introspect', unfinished);
    expect(refused).toMatchObject({ status: 429, code: 'upload_limit_exceeded' });
    for (const socket of sockets) socket.destroy();

    const large = `POST ${INTERACTIONS} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${client.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${'['.repeat(900_000)}`;
    for (let opened = 0; opened < 40; opened += 1) open(sockets, `127.0.1.${20 + (opened % 4)}`, large);
    const report = ({ apiKey }: Client) => {
      const ofCaller = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const body = JSON.stringify(['x'.repeat(900_000)]);
      return send(INTERACTIONS, { headers: ofCaller, body });
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

  it('bodies that clients do not finish: may have 64 KiB where no caller is needed', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' };
    const tooLarge = await send('/oauth2/introspect', {
      headers,
      body: 'x'.repeat(65 * 1024),
    });
    expect(tooLarge).toMatchObject({ status: 413, code: 'body_limit_exceeded' });
  });
});
