import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { rawHttp } from '../support/raw-http.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const scopes = ['community:analytics', 'accountkit'];
const path = '/analytics/c/wallet-connections';

describe('faults around the gateway', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    suite = await runningSuite({
      env: { ANALYTICS_URL: upstream.url, UPSTREAM_TIMEOUT_MS: '1500', SHUTDOWN_DELAY_MS: '500' },
    });
    client = await suite.createClient({ scopes });
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
  });

  const ask = (from = path, apiKey = client.apiKey) =>
    fetch(`${suite.gatewayUrl}${from}`, { headers: { 'X-API-Key': apiKey } });

  const outcome = async (response: Response) => [response.status, (await envelopeOf(response)).details.code];

  it('T39: an upstream that is down fails fast while the circuit breaker is open, and works again afterwards', async () => {
    const port = Number(new URL(upstream.url).port);
    await upstream.stop();
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) codes.push(await outcome(await ask()));
    expect(codes[0]).toEqual([502, 'upstream_response_invalid']);
    expect(codes[6]).toEqual([503, 'upstream_unavailable']);
    expect((await ask()).headers.get('retry-after')).toBe('2');
    upstream = await echoServer(port);
    let status = 0;
    const since = Date.now();
    while (status !== 200 && Date.now() - since < 30_000) {
      await sleep(100);
      status = (await ask()).status;
    }
    expect(status).toBe(200);
  });

  it('an upstream timeout is 504', async () => {
    upstream.answerWith(() => undefined);
    expect(await outcome(await ask())).toEqual([504, 'upstream_timeout']);
  });

  it('an upstream that disconnects in the middle of a response disconnects the client, too', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('[');
      setTimeout(() => response.destroy(), 50);
    });
    const response = await ask();
    await expect(response.text()).rejects.toThrow();
  });

  it('a disconnected client aborts the upstream request without counting as its failure', async () => {
    let released = 0;
    upstream.answerWith((_request, response) => response.on('close', () => (released += 1)));
    const callers = Array.from({ length: 20 }, async () => {
      const signal = AbortSignal.timeout(200);
      await expect(
        fetch(`${suite.gatewayUrl}${path}`, { headers: { 'X-API-Key': client.apiKey }, signal }),
      ).rejects.toThrow();
    });
    await Promise.all(callers);
    while (released < callers.length) await sleep(10);
    upstream.answerWith((_request, response) => response.end('[]'));
    expect((await ask()).status).toBe(200);
  });

  it('an identity outage: cached keys work, unknown ones are 503, and the gateway stays ready', async () => {
    const unseen = await suite.createClient({ scopes });
    expect((await ask()).status).toBe(200);
    await suite.app('identity').stop('SIGKILL');
    expect((await ask()).status).toBe(200);
    const rejected = await ask(path, unseen.apiKey);
    expect(rejected.headers.get('retry-after')).toBe('2');
    expect(await outcome(rejected)).toEqual([503, 'credentials_unavailable']);
    const ready = await fetch(`${suite.app('gateway').managementUrl}/health/ready`);
    expect(ready.status).toBe(200);
  });

  it('SIGTERM under load: not ready at once, every request answered, no connection reset, exit code 0', async () => {
    upstream.answerWith((_request, response) => setTimeout(() => response.end('[]'), 100));
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    const results: (number | string)[] = [];
    const send = () =>
      new Promise<void>((resolve) => {
        const outgoing = httpRequest(`${suite.gatewayUrl}${path}`, {
          agent,
          headers: { 'X-API-Key': client.apiKey },
        });
        outgoing.on('response', (response) => {
          results.push(response.statusCode ?? 0);
          response.resume().on('end', resolve);
        });
        outgoing.on('error', (error: NodeJS.ErrnoException) => {
          results.push(error.code ?? error.message);
          resolve();
        });
        outgoing.end();
      });
    const pending: Promise<void>[] = [];
    const gateway = suite.app('gateway');
    for (let sent = 0; sent < 25; sent += 1) {
      pending.push(send());
      await sleep(20);
    }
    const exited = gateway.stop();
    // The signal and the request race: readiness is 503 once the signal has arrived.
    const readiness: number[] = [];
    while (readiness.length < 20 && readiness.at(-1) !== 503) {
      readiness.push((await fetch(`${gateway.managementUrl}/health/ready`)).status);
    }
    expect(readiness.at(-1)).toBe(503);
    for (let sent = 0; sent < 15; sent += 1) {
      pending.push(send());
      await sleep(20);
    }
    await Promise.all(pending);
    expect(results).toEqual(Array.from({ length: 40 }, () => 200));
    expect(await exited).toBe(0);
    agent.destroy();
  });
});

describe('slow and idle clients', () => {
  let suite: RunningSuite;

  beforeAll(async () => {
    suite = await runningSuite();
  });

  afterAll(async () => {
    await suite.stop();
  });

  const drip = async (first: string, each: string): Promise<{ text: string; ms: number }> => {
    const { hostname, port } = new URL(suite.gatewayUrl);
    const socket = connect(Number(port), hostname);
    const startedAt = Date.now();
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write(first);
    const timer = setInterval(() => socket.write(each), 500);
    await once(socket, 'close');
    clearInterval(timer);
    return { text, ms: Date.now() - startedAt };
  };

  it('T33: are closed with 408 within fifteen seconds, and others are served meanwhile', async () => {
    const idle = Array.from({ length: 500 }, () => {
      const { hostname, port } = new URL(suite.gatewayUrl);
      return connect(Number(port), hostname);
    });
    const idleClosed = Promise.all(idle.map(async (socket) => once(socket.resume(), 'close')));
    const slow = Promise.all([
      drip('GET /openapi.json HTTP/1.1\r\nHost: gatehouse\r\nX-Slow: ', 'x'),
      drip(
        'POST /access-control/check-roles HTTP/1.1\r\nHost: gatehouse\r\nContent-Length: 100000\r\n\r\n',
        'x',
      ),
    ]);
    const isOver = slow.then(() => true);
    const served: number[] = [];
    while (!(await Promise.race([isOver, sleep(100, false)]))) {
      const response = await fetch(`${suite.gatewayUrl}/.well-known/jwks.json`);
      await response.arrayBuffer();
      served.push(response.status);
    }
    expect(new Set(served)).toEqual(new Set([200]));
    const [headers, body] = await slow;
    expect(headers.text).toMatch(/^HTTP\/1\.1 408 .*"name":"RequestTimeoutError"/s);
    expect(headers.ms).toBeLessThan(15_000);
    expect(body.text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(body.ms).toBeLessThan(15_500);
    await idleClosed;
  });
});

describe('overload', () => {
  it('is shed with 503 and Retry-After, and accepted requests are answered', async () => {
    const hanging = createServer(() => undefined);
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const suite = await runningSuite({
      env: { ANALYTICS_URL: url, MAX_REQUESTS_UNDER_WAY: '20', UPSTREAM_TIMEOUT_MS: '2000' },
    });
    const client = await suite.createClient({ scopes });
    const ask = () => fetch(`${suite.gatewayUrl}${path}`, { headers: { 'X-API-Key': client.apiKey } });
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    const shed = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 504)).toHaveLength(20);
    expect(shed).toHaveLength(30);
    expect(shed[0]?.headers.get('retry-after')).toBe('1');
    const metrics = await (await fetch(`${suite.app('gateway').managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/gateway_requests_shed_total\{service="gateway"\} 30/);
    const smuggledHealth = await rawHttp(
      suite.gatewayUrl,
      'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(smuggledHealth.statuses).toEqual([404]);
    await suite.stop();
    hanging.close();
  });
});
