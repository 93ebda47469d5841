import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

/** The bound of docs/faults.md. */
const MAX_SLOW_CLIENT_MS = 15_000;

/** Differences of latencies below this mean nothing on a busy machine. */
const NOISE_MS = 50;

const p99 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;

describe('slow and idle clients', () => {
  let suite: RunningSuite;
  /** A gateway without slow clients, for comparison. */
  let control: RunningApp;
  let client: Client;

  beforeAll(async () => {
    suite = await runningSuite({ env: { ADDRESS_REQUESTS_PER_SECOND: '100000' } });
    control = await suite.anotherGateway();
    client = await suite.createClient();
  });

  afterAll(async () => {
    await suite.stop();
  });

  const open = (): Socket => {
    const { hostname, port } = new URL(suite.gatewayUrl);
    return connect(Number(port), hostname).on('error', () => undefined);
  };

  /** Sends a byte every two seconds until the gateway closes the connection. */
  const drip = async (first: string): Promise<{ text: string; ms: number }> => {
    const socket = open();
    const startMs = performance.now();
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), 2_000);
    await once(socket, 'close');
    clearInterval(timer);
    return { text, ms: performance.now() - startMs };
  };

  const closeOf = async (socket: Socket): Promise<number> => {
    const startMs = performance.now();
    await once(socket.resume(), 'close');
    return performance.now() - startMs;
  };

  const check = (...headers: string[]): string =>
    [
      'POST /access-control/check-roles HTTP/1.1',
      'Host: gatehouse',
      'Content-Type: application/json',
      ...headers,
      '\r\n',
    ].join('\r\n');

  const request = async (url: string): Promise<number> => {
    const startMs = performance.now();
    const response = await fetch(`${url}/.well-known/jwks.json`);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    return performance.now() - startMs;
  };

  it('T33: slow and idle clients: are closed with 408 within fifteen seconds, and do not slow down others', async () => {
    const measured = { besides: [] as number[], alone: [] as number[] };
    const measure = async (order: (keyof typeof measured)[]): Promise<void> => {
      for (const which of order)
        measured[which].push(await request(which === 'alone' ? control.url : suite.gatewayUrl));
    };
    for (let warmUp = 0; warmUp < 20; warmUp += 1) await measure(['besides', 'alone']);
    measured.besides.length = measured.alone.length = 0;

    const startMs = performance.now();
    // The same time measured here: a busy machine is late with both.
    const bound = sleep(MAX_SLOW_CLIENT_MS).then(() => performance.now() - startMs + 500);
    const sockets = Array.from({ length: 500 }, open);
    const idle = Promise.all(sockets.map(closeOf));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const authenticated = `X-API-Key: ${client.apiKey}`;
    const slow = Promise.all([
      drip('GET /openapi.json HTTP/1.1\r\nHost: gatehouse\r\nX-Slow: '),
      drip(check(authenticated, 'Content-Length: 1000')),
      drip(check(authenticated, 'Content-Length: 100000')),
      drip(check(authenticated, 'Transfer-Encoding: chunked') + '1000\r\n'),
      drip(check('Content-Length: 100000')),
    ]);
    let isOver = false;
    const attack = Promise.all([idle, slow]).finally(() => (isOver = true));
    const keepMeasuring = async (): Promise<void> => {
      while (!isOver) {
        await measure(['besides', 'alone']);
        await measure(['alone', 'besides']);
        await sleep(20);
      }
    };
    await Promise.all([keepMeasuring(), keepMeasuring(), keepMeasuring()]);
    const [idleMs, [headers, ...bodies]] = await attack;
    const anonymous = bodies.pop();
    for (const { text } of [headers, ...bodies])
      expect(text).toMatch(/^HTTP\/1\.1 408 .*"name":"RequestTimeoutError"/s);
    expect(anonymous?.text).toMatch(/^HTTP\/1\.1 401 /);
    const closedMs = [...idleMs, headers.ms, ...bodies.map(({ ms }) => ms), anonymous?.ms ?? Infinity];
    expect(Math.max(...closedMs)).toBeLessThan(await bound);
    expect(p99(measured.besides)).toBeLessThan(2 * p99(measured.alone) + NOISE_MS);
  });
});
