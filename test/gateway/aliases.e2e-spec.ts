import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { rawHttp } from '../support/raw-http.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { TraceCollector } from '../support/trace-collector.js';
import { until } from '../support/until.js';

const ALIASES = {
  pathPrefixes: { '/api/v1': '/', '/api/v1/kit': '/accountkit/v2/platform' },
  headers: {
    'X-Messenger-Token': 'X-BOT-TOKEN',
    'X-Client-Key': 'X-API-Key',
    'X-User-Token': 'X-ACCESS-TOKEN',
    'X-Lane': 'X-Nonce-Key',
  },
  queryValues: { platform: { messenger: 'chat' } },
  securitySchemes: { walletOAuth: 'serviceOAuth2' },
};
const SECRET = 'a-token-under-another-name';

interface Document {
  paths: Record<
    string,
    Record<string, { parameters?: { name: string; schema: object }[]; security: Record<string, string[]>[] }>
  >;
  components: { securitySchemes: Record<string, object> };
}

describe('aliases', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let collector: TraceCollector;
  let client: Client;

  beforeAll(async () => {
    upstream = await echoServer();
    collector = await TraceCollector.start();
    suite = await runningSuite({
      without: ['token-gating'],
      env: {
        ACCOUNT_KIT_URL: upstream.url,
        ANALYTICS_URL: upstream.url,
        GATEWAY_ALIASES: JSON.stringify(ALIASES),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '1',
      },
    });
    client = await suite.createClient({ scopes: ['accountkit', 'community:analytics'] });
  });

  afterAll(async () => {
    await suite.stop();
    await collector.stop();
    await upstream.stop();
  });

  const send = (path: string, headers: Record<string, string> = {}, origin = suite.gatewayUrl) =>
    fetch(origin + path, { headers: { 'x-api-key': client.apiKey, ...headers } });
  const codeOf = async (response: Response) => [response.status, (await envelopeOf(response)).details.code];
  const gateway = () => suite.app('gateway');
  const requestLines = ({ logLines }: RunningApp) =>
    logLines
      .map((line) => JSON.parse(line) as { message: string; operation?: string })
      .filter(({ message }) => message === 'request');

  it('aliases: let a client of another spelling call the same operation', async () => {
    const response = await fetch(`${suite.gatewayUrl}/api/v1/kit/accounts?platform=messenger&_=%20`, {
      headers: { 'X-Client-Key': client.apiKey, 'X-User-Token': SECRET },
    });
    expect(response.status).toBe(200);
    const { url, headers } = upstream.seen.at(-1) ?? {};
    expect(url).toBe('/accountkit/v2/platform/accounts?platform=chat&_=%20');
    expect(headers).toMatchObject({ 'x-access-token': SECRET });
    expect(Object.keys(headers ?? {})).not.toEqual(expect.arrayContaining(['x-user-token']));
    expect(Object.keys(headers ?? {})).not.toEqual(expect.arrayContaining(['x-client-key']));
  });

  it('aliases: give X-Nonce-Key another name, and leave its own name as it is', async () => {
    const path = '/accountkit/v2/platform/accounts?platform=chat';
    for (const name of ['X-Lane', 'X-Nonce-Key']) {
      expect((await send(path, { 'x-access-token': SECRET, [name]: '7' })).status).toBe(200);
      expect(upstream.seen.at(-1)?.headers['x-nonce-key']).toBe('7');
      expect(upstream.seen.at(-1)?.headers['x-lane']).toBeUndefined();
    }
  });

  it('aliases: leave the own spelling as it is', async () => {
    const path = '/accountkit/v2/platform/accounts?platform=chat';
    expect((await send(path, { 'x-access-token': SECRET })).status).toBe(200);
    expect(upstream.seen.at(-1)).toMatchObject({ url: path, headers: { 'x-access-token': SECRET } });
  });

  it('aliases: show the operation itself in logs, metrics and traces, and no token', async () => {
    const operation = 'AccountKitController.getAccounts';
    const span = `gateway: GET ${operation}`;
    const before = requestLines(gateway()).filter((line) => line.operation === operation).length;
    const response = await send('/api/v1/accountkit/v1/chatbot/accounts', { 'X-Messenger-Token': SECRET });
    expect(response.status).toBe(200);
    await until('the span has arrived', () => collector.named(span).length === 1);
    expect(requestLines(gateway()).filter((line) => line.operation === operation)).toHaveLength(before + 1);
    const metrics = await (await fetch(`${gateway().managementUrl}/metrics`)).text();
    expect(metrics).toContain(`operation="${operation}"`);
    const told = [gateway().logLines.join('\n'), metrics, collector.received].join('\n');
    for (const secret of [SECRET, client.apiKey, '/api/v1', 'Messenger']) expect(told).not.toContain(secret);
  });

  it('aliases: answer 400 that names a header with two different values, after credentials and limits', async () => {
    const path = '/accountkit/v1/chatbot/accounts';
    const both = { 'X-Messenger-Token': 'one', 'X-BOT-TOKEN': 'other' };
    const before = upstream.seen.length;
    const response = await send(path, both);
    expect(response.headers.get('x-ratelimit-remaining')).not.toBeNull();
    const { message, details } = await envelopeOf(response);
    expect([response.status, details.code]).toEqual([400, 'header_invalid']);
    expect(message).toMatch(/^X-Messenger-Token and X-BOT-TOKEN /);
    expect((await send(path, { ...both, 'x-api-key': 'unknown' })).status).toBe(401);
    expect(upstream.seen).toHaveLength(before);
    expect((await send(path, { ...both, 'X-BOT-TOKEN': 'one' })).status).toBe(200);
  });

  it('aliases: open nothing that the own spelling does not open', async () => {
    const anonymous = await fetch(`${suite.gatewayUrl}/api/v1/kit/accounts?platform=messenger`);
    expect(await codeOf(anonymous)).toEqual([401, 'credential_invalid']);
    expect((await send('/api/v1/account/me')).status).toBe(401);
    const unscoped = await suite.createClient({ scopes: ['token-gating'] });
    const forbidden = await send('/api/v1/kit/accounts?platform=messenger', { 'x-api-key': unscoped.apiKey });
    expect(await codeOf(forbidden)).toEqual([403, 'scope_required']);
    const replaced = await fetch(`${suite.gatewayUrl}/api/v1/account/me`, {
      method: 'PUT',
      headers: { 'x-api-key': client.apiKey },
    });
    expect([replaced.status, replaced.headers.get('allow')]).toEqual([405, 'GET, PATCH']);
  });

  it('aliases: count towards the same limits', async () => {
    const limited = await suite.createClient({ scopes: ['accountkit'], requestsPerSecond: 2 });
    const key = { 'x-api-key': limited.apiKey, 'x-bot-token': 'bot' };
    const paths = ['/accountkit/v1/chatbot/accounts', '/api/v1/accountkit/v1/chatbot/accounts'];
    const answers = await Promise.all(
      [...paths, ...paths, ...paths, ...paths].map((path) => send(path, key)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(8);
  });

  it.each([
    '/api/v1/internal/credentials',
    '/api/v1/internal/plan-reports',
    '/api/v1/login',
    '/api/v1/portal',
    '/api/v1/explorer',
    '/api/v1/api/v1/account/me',
    '/API/v1/account/me',
    '/api/v10/account/me',
  ])('aliases: lead from %s to nothing', async (path) => {
    expect(await codeOf(await send(path))).toEqual([404, 'path_not_found']);
  });

  it.each([
    '/api/v1/../internal/credentials',
    '/api/v1/%2e%2e/internal/credentials',
    '/api/v1/kit/..%2f..%2finternal',
    '/api/v1//account/me',
    '/api%2Fv1/account/me',
    '/%61pi/v1/account/me',
  ])('T31: aliases: refuse the ambiguous path %s', async (path) => {
    const before = upstream.seen.length;
    const request = `GET ${path} HTTP/1.1\r\nHost: gatehouse\r\nX-API-Key: ${client.apiKey}\r\nConnection: close\r\n\r\n`;
    const { statuses, text } = await rawHttp(suite.gatewayUrl, request);
    expect(statuses).toEqual([400]);
    expect(text).toContain('path_invalid');
    expect(upstream.seen).toHaveLength(before);
  });

  it('aliases: may be sent by scripts of browsers', async () => {
    const preflight = await fetch(`${suite.gatewayUrl}/api/v1/account/me`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(',');
    expect(allowed).toEqual(expect.arrayContaining(['X-API-Key', ...Object.keys(ALIASES.headers)]));
  });

  it('aliases: stand in the document as configured, and only there', async () => {
    const load = async (origin: string, path = '/openapi.json') =>
      (await (await fetch(origin + path)).json()) as Document;
    const document = await load(suite.gatewayUrl);
    expect(await load(suite.gatewayUrl, '/api/v1/openapi.json')).toEqual(document);
    const { securitySchemes } = document.components;
    expect(securitySchemes['walletOAuth']).toEqual(securitySchemes['serviceOAuth2']);
    const accounts = document.paths['/accountkit/v2/platform/accounts']?.['get'];
    expect(accounts?.security).toContainEqual({ walletOAuth: ['accountkit'] });
    expect(accounts?.parameters?.find(({ name }) => name === 'platform')).toMatchObject({
      schema: { enum: ['chat', 'microblog', 'codehost', 'messenger'] },
    });
    const plain = await suite.another('gateway', { GATEWAY_ALIASES: '' });
    const text = JSON.stringify(await load(plain.url));
    const names = ['walletOAuth', 'messenger', 'x-gatehouse-aliases'];
    expect(names.filter((name) => text.includes(name))).toEqual([]);
    expect(names.filter((name) => !JSON.stringify(document).includes(name))).toEqual([]);
    expect((await send('/api/v1/account/me', {}, plain.url)).status).toBe(404);
  });

  it('aliases: end the start of a gateway when one hides a path, and the message names it', async () => {
    const refused = await suite.spawnAnother('gateway', {
      GATEWAY_ALIASES: JSON.stringify({ pathPrefixes: { '/account': '/accountkit' } }),
    });
    await until('it has ended', () => refused.process.exitCode !== null);
    expect(refused.process.exitCode).toBe(78);
    expect(refused.logLines.join('\n')).toContain('GATEWAY_ALIASES.pathPrefixes./account: hides /account/');
  });
});
