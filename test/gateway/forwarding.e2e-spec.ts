import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import type { EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import type { RunningSuite } from '../support/running-suite.js';
import { leaseEchoedGateway } from './echoed-gateway.js';

const MEBIBYTE = 1024 * 1024;

describe('forwarding', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    ({ suite, upstream } = await leaseEchoedGateway());
    client = await suite.createClient({ scopes: ['community:analytics', 'accountkit', 'token-gating'] });
  });

  /** Sends raw HTTP, because fetch rejects some header names. */
  const send = (path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(`${suite.gatewayUrl}${path}`, {
        headers: { 'x-api-key': client.apiKey, ...headers },
      });
      outgoing.on('response', (response) => {
        response.resume().on('end', () => {
          resolve(response.statusCode ?? 0);
        });
      });
      outgoing.on('error', reject).end();
    });

  it('T31: forwarding: drops internal headers of clients in any spelling', async () => {
    const forged = {
      'X-User-Id': 'root',
      'X-Service-Identity': 'gateway',
      'X-Gatehouse-Principal': 'forged',
      X_Gatehouse_Principal: 'forged',
      'X.Gatehouse.Principal': 'forged',
      'x-GATEHOUSE-principal': 'forged',
      Forwarded: 'for=10.0.0.1',
      'X-Forwarded-For': '10.0.0.1',
      'X-Forwarded-Host': 'evil.example',
      'X-Real-IP': '10.0.0.1',
      Cookie: 'session=1',
      'Proxy-Authorization': 'Basic eA==',
      TE: 'trailers',
      'X-Bot-Token': 'bot',
      'X-Access-Token': 'access',
      'X-Nonce-Key': '1',
      tracestate: 'a=b',
      baggage: 'a=b',
      'sentry-trace': 'a',
      'X-Requested-With': 'XMLHttpRequest',
      'x-datadog-trace-id': '1',
      newrelic: 'a',
      'Request-Id': '|a.b.',
      b3: '0',
      'Cache-Control': 'no-cache',
      Pragma: 'no-cache',
    };
    expect(await send('/analytics/c/user-interactions?range=7d', forged)).toBe(200);
    const seen = upstream.seen.at(-1);
    expect(seen?.url).toBe('/analytics/c/user-interactions?range=7d');
    const names = seen?.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(new Set(names)).toEqual(
      new Set(['host', 'connection', 'x-gatehouse-principal', 'x-request-id', 'x-forwarded-for']),
    );
    expect(names?.filter((name) => name === 'x-gatehouse-principal')).toHaveLength(1);
    expect(seen?.headers['x-gatehouse-principal']).not.toBe('forged');
    expect(seen?.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  it('forwarding: forwards tokens of chat platforms and lanes only to account-kit', async () => {
    const headers = { 'X-BOT-TOKEN': 'bot', 'X-Nonce-Key': '1' };
    expect(await send('/accountkit/v1/chatbot/accounts', headers)).toBe(200);
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-bot-token': 'bot', 'x-nonce-key': '1' });
  });

  it('forwarding: forwards the body byte for byte, also a large one', async () => {
    const body = JSON.stringify([{ color: 1, id: 'x'.repeat(500_000), name: 'ü' }]);
    const response = await fetch(`${suite.gatewayUrl}/analytics/c/roles-added`, {
      method: 'POST',
      headers: { 'X-API-Key': client.apiKey, 'Content-Type': 'application/json' },
      body,
    });
    expect(response.status).toBe(200);
    expect(upstream.seen.at(-1)?.body).toBe(body);
  });

  it('forwarding: forwards one request id, the one of the client if valid', async () => {
    const ask = async (id: string) => {
      const response = await fetch(`${suite.gatewayUrl}/analytics/c/wallet-connections`, {
        headers: { 'X-API-Key': client.apiKey, 'X-Request-Id': id },
      });
      return [response.headers.get('x-request-id'), upstream.seen.at(-1)?.headers['x-request-id']];
    };
    expect(await ask('my.id_1-2')).toEqual(['my.id_1-2', 'my.id_1-2']);
    const [returned, forwarded] = await ask('no spaces please');
    expect(returned).toMatch(/^[0-9a-f-]{36}$/);
    expect(forwarded).toBe(returned);
    expect((await ask('x'.repeat(129)))[0]).not.toBe('x'.repeat(129));
  });

  const post = (
    body: string | Buffer | ReadableStream,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) =>
    fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
      method: 'POST',
      headers: { 'X-API-Key': client.apiKey, ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });

  it('T34: forwarding: limits bodies to one MiB, declared, streamed or decompressed', async () => {
    const oversized = `"${'x'.repeat(MEBIBYTE)}"`;
    const declared = await post(oversized);
    expect([declared.status, (await envelopeOf(declared)).name]).toEqual([413, 'PayloadTooLargeError']);

    const streamed = await post(new Blob([oversized]).stream());
    expect([streamed.status, (await envelopeOf(streamed)).name]).toEqual([413, 'PayloadTooLargeError']);

    const bomb = gzipSync(Buffer.alloc(50 * MEBIBYTE, 32));
    const unpacked = await post(bomb, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    expect([unpacked.status, (await envelopeOf(unpacked)).name]).toEqual([413, 'PayloadTooLargeError']);
  });

  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['application/json; charset=utf-16', '{}'],
    ['', '{}'],
  ])('T34: rejects a body of another content type: %s', async (type, body) => {
    const response = await post(Buffer.from(body), type === '' ? {} : { 'Content-Type': type });
    expect([response.status, (await envelopeOf(response)).name]).toEqual([415, 'UnsupportedMediaTypeError']);
  });

  it('returns only allowed response headers: no cookies, no other upstream headers', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'a=b',
        server: 'secret/1.0',
        'x-internal': 'yes',
        'access-control-allow-origin': 'https://evil.example',
        'retry-after': '3',
      });
      response.end('[]');
    });
    const response = await fetch(`${suite.gatewayUrl}/analytics/c/wallet-connections`, {
      headers: { 'X-API-Key': client.apiKey, Origin: 'https://app.example' },
    });
    expect(response.headers.get('retry-after')).toBe('3');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of ['set-cookie', 'server', 'x-internal', 'x-powered-by']) {
      expect(response.headers.get(name)).toBeNull();
    }
  });
});
