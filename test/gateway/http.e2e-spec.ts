import { beforeAll, describe, expect, it } from '@jest/globals';
import { CORS_REQUEST_HEADERS } from '@app/openapi';
import type { Client } from '../support/create-client.js';
import type { EchoServer } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { rawHttp } from '../support/raw-http.js';
import type { RunningSuite } from '../support/running-suite.js';
import { leaseEchoedGateway } from './echoed-gateway.js';

describe('HTTP handling of the gateway', () => {
  let suite: RunningSuite;
  let upstream: EchoServer;
  let client: Client;

  beforeAll(async () => {
    ({ suite, upstream } = await leaseEchoedGateway());
    client = await suite.createClient({ scopes: ['community:analytics', 'token-gating'] });
  });

  const head = (...lines: string[]) =>
    [
      'POST /analytics/c/roles-added HTTP/1.1',
      'Host: gatehouse',
      `X-API-Key: ${client.apiKey}`,
      ...lines,
    ].join('\r\n');
  const smuggled = 'GET /analytics/SMUGGLED/wallet-connections HTTP/1.1\r\nHost: gatehouse\r\n';

  it.each<[string, () => string]>([
    [
      'Content-Length beside Transfer-Encoding',
      () => `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}\r\n\r\n0\r\n\r\n${smuggled}\r\n`,
    ],
    [
      'two Content-Lengths',
      () => `${head('Content-Length: 0', 'Content-Length: 10')}\r\n\r\n${smuggled}\r\n`,
    ],
    ['two Content-Lengths in one', () => `${head('Content-Length: 0, 10')}\r\n\r\n${smuggled}\r\n`],
    ['a folded header', () => `${head('X-Folded: a\r\n  b', 'Content-Length: 0')}\r\n\r\n`],
    ['bare line feeds', () => `${head('Content-Length: 0').replaceAll('\r\n', '\n')}\n\n`],
    ['a space before the colon', () => `${head('Content-Length : 0')}\r\n\r\n`],
    [
      'an obscured Transfer-Encoding',
      () => `${head('Transfer-Encoding: xchunked')}\r\n\r\n0\r\n\r\n${smuggled}\r\n`,
    ],
    [
      'a Transfer-Encoding that does not end in chunked',
      () => `${head('Transfer-Encoding: chunked, gzip')}\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a chunk size that is no number',
      () =>
        `${head('Transfer-Encoding: chunked', 'Content-Type: application/json')}\r\n\r\nzz\r\n[]\r\n0\r\n\r\n`,
    ],
    ['two hosts', () => `${head('Host: evil.example', 'Content-Length: 0')}\r\n\r\n`],
    ['no host', () => 'GET /openapi.json HTTP/1.1\r\n\r\n'],
    [
      'a target that is not a path',
      () => 'GET http://evil.example/account/me HTTP/1.1\r\nHost: gatehouse\r\nConnection: close\r\n\r\n',
    ],
    ['another protocol', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ])(
    'T32: HTTP handling of the gateway: rejects %s with 400 and closes the connection',
    async (_what, request) => {
      const before = upstream.seen.length;
      const { statuses, closed, text } = await rawHttp(suite.gatewayUrl, request());
      expect([statuses, closed]).toEqual([[400], true]);
      expect(text).toMatch(/"name":"BadRequestError"/);
      expect(upstream.seen.slice(before).map(({ url }) => url)).toEqual([]);
    },
  );

  it('T34: HTTP handling of the gateway: rejects headers over 16 KiB with 431', async () => {
    const { statuses, text } = await rawHttp(
      suite.gatewayUrl,
      `${head(`X-Long: ${'x'.repeat(17_000)}`)}\r\n\r\n`,
    );
    expect(statuses).toEqual([431]);
    expect(text).toMatch(/"name":"RequestHeaderFieldsTooLargeError"/);
  });

  it.each([
    '/account/../account/me',
    '/account/%2e%2e/account/me',
    '//account/me',
    '/account%2fme',
    '/account/me%00',
  ])('HTTP handling of the gateway: rejects the ambiguous path %s', async (path) => {
    const raw = `GET ${path} HTTP/1.1\r\nHost: gatehouse\r\nConnection: close\r\n\r\n`;
    expect((await rawHttp(suite.gatewayUrl, raw)).statuses).toEqual([400]);
  });

  it('HTTP handling of the gateway: has no internal paths, and sends 404 and 405 as error envelopes', async () => {
    const ask = (path: string, method = 'GET') =>
      fetch(`${suite.gatewayUrl}${path}`, { method, headers: { 'X-API-Key': client.apiKey } });
    for (const path of ['/internal/credentials', '/health/live', '/metrics', '/account', '/Account/me']) {
      const response = await ask(path);
      expect([path, response.status, (await envelopeOf(response)).name]).toEqual([
        path,
        404,
        'NotFoundError',
      ]);
    }
    const wrongMethod = await ask('/access-control/check-roles', 'PUT');
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')).toBe('POST');
    expect((await envelopeOf(wrongMethod)).name).toBe('MethodNotAllowedError');
  });

  it('query parameters: an unknown one is 400 that names at most five, after the authorization', async () => {
    const { apiKey } = await suite.createClient({ scopes: ['token-gating'] });
    const send = (target: string, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
      fetch(`${suite.gatewayUrl}${target}`, { headers });
    const account = '/asset-list/So11111111111111111111111111111111111111112';
    const names = ['asset', `\u0000${'é'.repeat(80)}`, 'c', 'd', 'e', 'f', 'g'];
    const query = names.map((name) => `${encodeURIComponent(name)}=1`).join('&');
    const response = await send(`${account}?${query}`);
    const { message, details } = await envelopeOf(response);
    expect([response.status, details.code]).toEqual([400, 'parameter_unknown']);
    const named = ['asset', '?'.repeat(64), 'c', 'd', 'e'];
    expect(details.issues?.map(({ path }) => path)).toEqual(named);
    expect(message).toContain(`${named.join(', ')}, and others`);
    expect((await send(`${account}?${query}`, {})).status).toBe(401);
    // Operations without a caller, the document and caches' tricks stay as they were.
    expect((await send('/.well-known/jwks.json?utm_source=mail', {})).status).toBe(200);
    expect((await send('/openapi.json?v=2', {})).status).toBe(200);
    expect((await send('/asset-verification/token?utm_source=mail', {})).status).toBe(404);
    expect((await send(`${account}?_=1`)).status).toBe(200);
  });

  it('query parameters: assets[] and assets[0] are assets', async () => {
    const { apiKey } = await suite.createClient({ scopes: ['token-gating'] });
    const account = '/asset-ownership/So11111111111111111111111111111111111111112';
    const [one, other] = ['ab', 'cd'].map((byte) => `eip155:1/erc721:0x${byte.repeat(20)}`);
    // The suite has no node of the chain, so each asset that is read is a problem of its own.
    const load = async (query: string) => {
      const response = await fetch(`${suite.gatewayUrl}${account}?${query}`, {
        headers: { 'x-api-key': apiKey },
      });
      const { details } = await envelopeOf(response);
      return [response.status, details.code, details.issues?.map(({ path }) => path)];
    };
    const expected = [400, 'chain_not_supported', ['assets.0.chainId', 'assets.1.chainId']];
    expect(await load(`assets=${one}&assets=${other}`)).toEqual(expected);
    expect(await load(`assets[]=${one}&assets%5B%5D=${other}`)).toEqual(expected);
    expect(await load(`assets[0]=${one}&assets%5B1%5D=${other}`)).toEqual(expected);
  });

  it('HTTP handling of the gateway: sends CORS headers', async () => {
    const preflight = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-api-key,prefer',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(',');
    expect(allowed).toEqual(CORS_REQUEST_HEADERS);
    const added = [
      'X-Nonce-Key',
      'If-None-Match',
      'baggage',
      'sentry-trace',
      'X-Requested-With',
      'tracestate',
      'x-datadog-trace-id',
      'newrelic',
      'elastic-apm-traceparent',
      'Request-Id',
      'b3',
      'Cache-Control',
      'Pragma',
    ];
    expect(allowed).toEqual(expect.arrayContaining(added));
    const rejected = await fetch(`${suite.gatewayUrl}/account/me`, {
      headers: { Origin: 'https://app.example' },
    });
    expect(rejected.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = rejected.headers.get('access-control-expose-headers')?.split(',');
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'RateLimit-Policy', 'WWW-Authenticate']));
  });

  const account = `0x${'ab'.repeat(20)}`;
  const check = (fields: string, rule = '"type":"NATIVE","chainId":1') =>
    `{"account":"${account}","rules":[{${rule}}]${fields}}`;

  it.each([
    ['an unknown field', check(',"colour":1'), 'colour'],
    ['an unknown field of a rule', check('', '"type":"NATIVE","chainId":1,"colour":1'), 'rules.0.colour'],
    ['a number as text', check('', '"type":"NATIVE","chainId":"1"'), 'rules.0.chainId'],
    ['an empty text as a number', check('', '"type":"NATIVE","chainId":""'), 'rules.0.chainId'],
    ['true as a number', check('', '"type":"NATIVE","chainId":true'), 'rules.0.chainId'],
    ['a hexadecimal number', check('', '"type":"NATIVE","chainId":"0x10"'), 'rules.0.chainId'],
    ['a number that overflows', check('', '"type":"NATIVE","chainId":1e400'), 'rules.0.chainId'],
    ['null', check('', '"type":"NATIVE","chainId":null'), 'rules.0.chainId'],
    ['an array as a number', check('', '"type":"NATIVE","chainId":[1]'), 'rules.0.chainId'],
    ['an array as text', check('').replace(`"${account}"`, `["${account}"]`), 'account'],
    ['an array as an object', check('').replace(/\{("type"[^}]*)\}/, '[{$1}]'), 'rules.0'],
    ['an array as the body', `[${check('')}]`, ''],
    ['null as the body', 'null', ''],
  ])(
    'T35: HTTP handling of the gateway: rejects %s with 400 and the path of the field',
    async (_what, body, path) => {
      const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
        method: 'POST',
        headers: { 'X-API-Key': client.apiKey, 'Content-Type': 'application/json' },
        body,
      });
      expect(response.status).toBe(400);
      const { details } = await envelopeOf(response);
      expect(details).toMatchObject({
        code: 'input_invalid',
        issues: [{ path, message: expect.any(String) }],
      });
    },
  );

  it('T36: HTTP handling of the gateway: a query or body cannot pollute prototypes', async () => {
    const headers = { 'X-API-Key': client.apiKey, 'Content-Type': 'application/json' };
    const evil = '__proto__[allow][]=EVIL&constructor[prototype][allow][]=EVIL&__proto__.allow=EVIL';
    const bodies = ['{"__proto__":{"allow":["EVIL"]}}', '{"constructor":{"prototype":{"allow":["EVIL"]}}}'];
    const check = (query: string, body: string) =>
      fetch(`${suite.gatewayUrl}/access-control/check-roles${query}`, { method: 'POST', headers, body });
    for (const body of bodies) {
      const response = await check('', body);
      const { details } = await envelopeOf(response);
      expect([response.status, details.issues]).toMatchObject([400, [{ path: body.split('"')[1] }]]);
    }
    // A polluted prototype would show in the headers of the next error of the gateway or a service.
    const responses = [
      await check(`?${evil}`, '{}'),
      await fetch(`${suite.gatewayUrl}/oauth2/authorize?${evil}`, { redirect: 'manual' }),
      await fetch(`${suite.gatewayUrl}/login?${evil}`),
      await fetch(`${suite.gatewayUrl}/no/such/path?${evil}`),
      await check('', '{}'),
      await fetch(`${suite.gatewayUrl}/oauth2/userinfo`),
      await fetch(`${suite.gatewayUrl}/no/such/path`),
    ];
    for (const response of responses) {
      await response.body?.cancel();
      expect(response.headers.get('allow')).toBeNull();
    }
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 200, 404, 400, 401, 404]);
  });
});
