import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import type { EchoServer } from '../support/echo-server.js';
import { rawHttp } from '../support/raw-http.js';
import type { RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { leaseEchoedGateway } from './echoed-gateway.js';

describe('connections to the gateway', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    ({ suite, upstream } = await leaseEchoedGateway());
    client = await suite.createClient({ scopes: ['community:analytics', 'token-gating'] });
  });

  const open = async ({ url = suite.gatewayUrl, allowHalfOpen = false } = {}): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${client.apiKey}\r\n`;

  it('connections to the gateway: are destroyed when the client does not close its half', async () => {
    const socket = await open({ allowHalfOpen: true });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'end');
    expect(text).toMatch(/^HTTP\/1\.1 400/);
    const writing = setInterval(() => socket.write('x'), 100);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(writing);
  });

  it('connections to the gateway: never mix a second response into a pending one', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('["first part"');
    });
    const socket = await open();
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(`${get('/analytics/c/wallet-connections')}\r\n`);
    await until('the first part arrived', () => text.includes('first part'));
    socket.write('GARBAGE\r\n\r\n');
    await once(socket, 'close');
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('connections to the gateway: stay usable after a request body that the upstream did not read', async () => {
    const body = 'x'.repeat(500_000);
    const rejected = `POST /access-control/check-roles HTTP/1.1\r\nHost: a\r\nX-API-Key: ${client.apiKey}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const next = `${get('/.well-known/jwks.json')}Connection: close\r\n\r\n`;
    for (let round = 0; round < 5; round += 1) {
      expect((await rawHttp(suite.gatewayUrl, rejected + next)).statuses).toEqual([415, 200]);
    }
  });

  it('connections to the gateway: get a gateway error without upstream headers when the upstream dies between head and body', async () => {
    upstream.answerWith((_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-length': '10',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=300',
      });
      response.flushHeaders();
      setTimeout(() => response.destroy(), 50);
    });
    const response = await fetch(`${suite.gatewayUrl}/analytics/c/wallet-connections`, {
      headers: { 'X-API-Key': client.apiKey },
    });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  it('connections to the gateway that are idle: do not delay the shutdown, and requests in flight are answered', async () => {
    upstream.answerWith((_request, response) => setTimeout(() => response.end('["late"]'), 1_500));
    const gateway = await suite.anotherGateway();
    const silent = await Promise.all([1, 2, 3].map(() => open({ url: gateway.url })));
    const before = upstream.seen.length;
    const pending = fetch(`${gateway.url}/analytics/c/wallet-connections`, {
      headers: { 'X-API-Key': client.apiKey },
    });
    await until('the request is forwarded', () => upstream.seen.length > before);
    const exit = gateway.stop();
    expect(await (await pending).json()).toEqual(['late']);
    expect(await exit).toBe(0);
    for (const socket of silent) socket.destroy();
  });
});
