import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { rawHttp } from '../support/raw-http.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';

const scopes = ['community:analytics', 'accountkit'];
const path = '/analytics/c/wallet-connections';

/** The bounds of docs/faults.md. */
const MAX_FAIL_FAST_MS = 1_000;
const MAX_RECOVERY_MS = 30_000;
const SHUTDOWN_GRACE_MS = 15_000;
/** A process of a busy machine stands still for so long; less than the timeout of the upstream. */
const STANDSTILL_MS = 3_000;

describe('faults around the gateway', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    suite = await runningSuite({
      without: ['token-gating'],
      env: {
        ANALYTICS_URL: upstream.url,
        ACCOUNT_KIT_URL: upstream.url,
        UPSTREAM_TIMEOUT_MS: '5000',
        SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
      },
    });
    client = await suite.createClient({ scopes });
  });

  beforeEach(() => {
    upstream.answerWith();
  });

  afterAll(async () => {
    await suite.stop();
    await upstream.stop();
  });

  const ask = (from = path, apiKey = client.apiKey) =>
    fetch(`${suite.gatewayUrl}${from}`, { headers: { 'X-API-Key': apiKey } });

  const outcome = async (response: Response) => [response.status, (await envelopeOf(response)).details.code];

  const outcomeInTime = async () => {
    const startMs = performance.now();
    const response = await ask();
    const [status, code] = await outcome(response);
    const retryAfter = response.headers.get('retry-after');
    return { status, code, retryAfter, ms: performance.now() - startMs };
  };

  const expectFailsFast = async (): Promise<void> => {
    let answers: Awaited<ReturnType<typeof outcomeInTime>>[] = [];
    let reached = 0;
    // The breaker may be half open by now on a busy machine: a probe that fails opens it again.
    await until('the circuit breaker is open', async () => {
      reached = upstream.seen.length;
      answers = await Promise.all(Array.from({ length: 3 }, outcomeInTime));
      return answers.every(({ status }) => status === 503);
    });
    expect(upstream.seen).toHaveLength(reached);
    for (const open of answers) {
      expect(open).toMatchObject({ status: 503, code: 'upstream_unavailable', retryAfter: '2' });
      expect(open.ms).toBeLessThan(MAX_FAIL_FAST_MS + STANDSTILL_MS);
    }
  };

  /** Waits until the circuit breaker lets requests through again. */
  const expectRecovers = async (): Promise<void> => {
    await until('the upstream is used again', async () => (await ask()).status === 200, MAX_RECOVERY_MS);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  };

  it('T39: faults around the gateway: an upstream that is down fails fast while the circuit breaker is open, and works again afterwards', async () => {
    const port = Number(new URL(upstream.url).port);
    await upstream.stop();
    try {
      // Nothing was sent, so clients and ingress controllers may send it again.
      const refused = { status: 503, code: 'upstream_unavailable', retryAfter: '2' };
      for (let attempt = 0; attempt < 5; attempt += 1) expect(await outcomeInTime()).toMatchObject(refused);
      await expectFailsFast();
    } finally {
      upstream = await echoServer(port);
    }
    await expectRecovers();
  });

  it('T256: forwarding: sends a GET again whose connection the app ends without a response, and no POST', async () => {
    const reached = upstream.seen.length;
    const endOnce = () => {
      let isFirst = true;
      upstream.answerWith((_request, response) => {
        if (isFirst) response.socket?.destroy();
        else response.end('[]');
        isFirst = false;
      });
    };
    endOnce();
    expect((await ask()).status).toBe(200);
    expect(upstream.seen).toHaveLength(reached + 2);
    endOnce();
    const posted = await fetch(`${suite.gatewayUrl}/accountkit/v2/evm/calculateAccountAddress`, {
      method: 'POST',
      headers: { 'X-API-Key': client.apiKey, 'content-type': 'application/json' },
      body: '{"platform":"chat","userId":"1"}',
    });
    // The request may have been handled.
    expect(await outcome(posted)).toEqual([502, 'upstream_response_invalid']);
    expect(upstream.seen).toHaveLength(reached + 3);
  });

  it('T256: forwarding: answers 503 to a GET whose app stops while it holds the connection', async () => {
    const port = Number(new URL(upstream.url).port);
    const reached = upstream.seen.length;
    upstream.answerWith(() => undefined);
    const answer = outcomeInTime();
    await until('the app has the request', () => upstream.seen.length > reached);
    await upstream.stop();
    try {
      expect(await answer).toMatchObject({ status: 503, code: 'upstream_unavailable', retryAfter: '2' });
    } finally {
      upstream = await echoServer(port);
    }
    await expectRecovers();
  });

  it('faults around the gateway: closes an idle upstream connection before a service that shuts down would', async () => {
    expect((await ask()).status).toBe(200);
    expect(await upstream.connections()).toBeGreaterThan(0);
    const isClosed = async () => (await upstream.connections()) === 0;
    // The connection would be open for the 65 seconds that a service announces.
    await until('no connection is open', isClosed, 20_000);
  });

  it('T39: faults around the gateway: an upstream that hangs delays no request while the circuit breaker is open', async () => {
    upstream.answerWith(() => undefined);
    const hanging = await Promise.all(Array.from({ length: 5 }, outcomeInTime));
    expect(hanging.map(({ status }) => status)).toEqual(hanging.map(() => 504));
    await expectFailsFast();
    upstream.answerWith();
    await expectRecovers();
  });

  it('faults around the gateway: an upstream timeout is 504', async () => {
    upstream.answerWith(() => undefined);
    expect(await outcome(await ask())).toEqual([504, 'upstream_timeout']);
  });

  it('faults around the gateway: an upstream that disconnects in the middle of a response disconnects the client, too', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('[');
      setTimeout(() => response.destroy(), 50);
    });
    const response = await ask();
    await expect(response.text()).rejects.toThrow();
  });

  it('faults around the gateway: a disconnected client aborts the upstream request without counting as its failure', async () => {
    let released = 0;
    upstream.answerWith((_request, response) => response.on('close', () => (released += 1)));
    const reached = upstream.seen.length;
    const disconnecting = new AbortController();
    const { signal } = disconnecting;
    const callers = Array.from({ length: 20 }, async () => {
      await expect(
        fetch(`${suite.gatewayUrl}${path}`, { headers: { 'X-API-Key': client.apiKey }, signal }),
      ).rejects.toThrow();
    });
    await until('all have reached the upstream', () => upstream.seen.length === reached + callers.length);
    disconnecting.abort();
    await Promise.all(callers);
    await until('the upstream requests end', () => released === callers.length);
    upstream.answerWith();
    expect((await ask()).status).toBe(200);
  });

  it('T03: SIGTERM under load: not ready at once, every request answered, no connection reset, exit code 0', async () => {
    upstream.answerWith((_request, response) => setTimeout(() => response.end('[]'), 100));
    // Long enough for all requests below, also where a process stands still.
    const gateway = await suite.another('gateway', { SHUTDOWN_DELAY_MS: '5000' });
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    const results: (number | string)[] = [];
    const send = () =>
      new Promise<void>((resolve) => {
        const outgoing = httpRequest(`${gateway.url}${path}`, {
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
    for (let sent = 0; sent < 25; sent += 1) {
      pending.push(send());
      await sleep(20);
    }
    const signalledAt = Date.now();
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
    expect(Date.now() - signalledAt).toBeLessThan(SHUTDOWN_GRACE_MS);
    agent.destroy();
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
});

describe('overload', () => {
  it('overload by one tenant: is shed with 429 and Retry-After, and accepted requests are answered', async () => {
    const upstream = await echoServer();
    const suite = await runningSuite({
      without: ['token-gating'],
      env: { ANALYTICS_URL: upstream.url, MAX_REQUESTS_UNDER_WAY: '20' },
    });
    const client = await suite.createClient({ scopes });
    const ask = () => fetch(`${suite.gatewayUrl}${path}`, { headers: { 'X-API-Key': client.apiKey } });
    // The requests of a key count towards their address until the key is known.
    expect((await ask()).status).toBe(200);
    const waiting: (() => void)[] = [];
    upstream.answerWith((_, response) => waiting.push(() => response.end('[]')));
    const shed: Response[] = [];
    let overloaded = 0;
    const answers = Array.from({ length: 50 }, async () => {
      for (;;) {
        const answer = await ask();
        if (answer.status === 429) shed.push(answer);
        if (answer.status !== 503) return answer;
        // The event loop is delayed, as on a busy machine: the whole process sheds, not the share of the tenant.
        overloaded += 1;
        await sleep(250);
      }
    });
    // The ninth is refused with 12 places free: 12² / 20 is below 8.
    await until('the share of the tenant is used up', () => waiting.length === 8 && shed.length === 42);
    for (const answer of waiting) answer();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(shed[0]?.headers.get('retry-after')).toBe('1');
    const metrics = await (await fetch(`${suite.app('gateway').managementUrl}/metrics`)).text();
    expect(metrics).toContain(`gateway_requests_shed_total{service="gateway"} ${42 + overloaded}\n`);
    const smuggledHealth = await rawHttp(
      suite.gatewayUrl,
      'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(smuggledHealth.statuses).toEqual([404]);
    await suite.stop();
    await upstream.stop();
  });
});
