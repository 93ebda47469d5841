import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { echoServer, type EchoServer, type SeenRequest } from '../support/echo-server.js';
import { envelopeOf } from '../support/envelope.js';
import { principalTokenIn } from '../support/principal-token-in.js';
import { type GatewayWithTokens, leaseGatewayWithTokens } from './gateway-with-tokens.js';

const PAGES = [
  '/login',
  '/login/uid-1',
  '/consent/uid-1',
  '/portal',
  '/portal/keys?id=1',
  '/logout',
  '/pages/a.css',
];

describe('pages and browsers', () => {
  let running: GatewayWithTokens;
  /** A fake of identity's public operations and pages. */
  let identity: EchoServer;
  let client: Client;

  beforeAll(async () => {
    running = await leaseGatewayWithTokens();
    client = await running.suite.createClient({ scopes: ['token-gating', 'community:analytics'] });
    identity = await echoServer();
    running.identityProxy.callerUpstream = identity.url;
    identity.answerWith((_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': ['session=1; HttpOnly', 'other=2'],
        'content-security-policy': "default-src 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-internal': 'ours',
        'access-control-allow-origin': 'https://evil.example',
      });
      response.end('<p>');
    });
  });

  afterAll(async () => {
    running.identityProxy.callerUpstream = undefined;
    await identity.stop();
  });

  /** Sends raw HTTP, because fetch rejects some header names and normalizes paths. */
  const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
      const outgoing = httpRequest(running.gateway.url, { path, method, headers });
      outgoing.on('response', (response) => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers });
        });
      });
      outgoing.on('error', reject).end();
    });

  const seen = (): SeenRequest | undefined => identity.seen.at(-1);

  const BROWSER = {
    Cookie: 'session=1',
    Origin: 'https://app.example',
    'Sec-Fetch-Site': 'cross-site',
    Authorization: 'Bearer nonsense',
    'X-API-Key': 'nonsense',
    'X-Gatehouse-Principal': 'forged',
    'X-Forwarded-Host': 'evil.example',
  };

  it.each(PAGES)(
    'pages and browsers: %s goes to identity with cookies and an anonymous principal, and returns the response unchanged',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await send(path, BROWSER, method);
        expect(answer.status).toBe(200);
        expect(seen()).toMatchObject({ method, url: path });
        expect(seen()?.headers).toMatchObject({
          cookie: 'session=1',
          origin: 'https://app.example',
          'sec-fetch-site': 'cross-site',
          'x-forwarded-host': new URL(running.gateway.url).host,
        });
        expect(seen()?.headers).not.toHaveProperty('authorization');
        expect(seen()?.headers).not.toHaveProperty('x-api-key');
        expect(principalTokenIn(seen()?.headers)).toMatchObject({
          aud: 'identity',
          operation: 'pages',
          principal: { kind: 'anonymous' },
        });
        expect(answer.headers).toMatchObject({
          'set-cookie': ['session=1; HttpOnly', 'other=2'],
          'content-security-policy': "default-src 'none'",
          'cross-origin-opener-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        });
        expect(answer.headers).not.toHaveProperty('x-internal');
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
    },
  );

  it('pages and browsers: support GET and POST, and no CORS', async () => {
    const before = identity.seen.length;
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await send('/portal', { ...BROWSER, 'Access-Control-Request-Method': 'POST' }, method);
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, HEAD, POST']);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect(identity.seen).toHaveLength(before);
  });

  it('pages and browsers: exist at these paths only', async () => {
    const before = identity.seen.length;
    for (const path of ['/Login', '/loginx', '/pages', '/logout/now', '/internal/token-keys'])
      expect([path, (await send(path)).status]).toEqual([path, 404]);
    for (const path of ['/login/', '/login/../portal', '/login/%2e%2e/portal', '/login%2fx', '/portal//x'])
      expect([path, (await send(path)).status]).toEqual([path, 400]);
    expect(identity.seen).toHaveLength(before);
  });

  it('pages, browsers and logins: get cookies; no other operation gets or sets them', async () => {
    const keys = { ...BROWSER, Authorization: '', 'X-API-Key': client.apiKey };
    const { Authorization: _, ...headers } = keys;
    for (const path of ['/.well-known/jwks.json', '/.well-known/openid-configuration']) {
      const answer = await send(path, headers);
      expect(answer.status).toBe(200);
      expect(seen()?.url).toBe(path);
      for (const name of ['cookie', 'origin', 'sec-fetch-site', 'authorization'])
        expect(seen()?.headers).not.toHaveProperty(name);
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(answer.headers).not.toHaveProperty('cross-origin-opener-policy');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('pages, browsers and logins: get cookies', async () => {
    const { Authorization: _, 'X-API-Key': __, ...headers } = BROWSER;
    const answer = await send('/oauth2/authorize?response_type=code', headers);
    expect(answer.status).toBe(200);
    expect(seen()?.headers).toMatchObject({ cookie: 'session=1', 'sec-fetch-site': 'cross-site' });
    expect(principalTokenIn(seen()?.headers)).toMatchObject({ operation: 'OAuth2Controller.authorize' });
    expect(answer.headers['set-cookie']).toHaveLength(2);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each(['token', 'introspect', 'revoke'])(
    'pages and browsers: Authorization is forwarded to /oauth2/%s without authenticating the caller',
    async (name) => {
      const basic = 'Basic Y2xpZW50OnNlY3JldA==';
      const answer = await send(`/oauth2/${name}`, { Authorization: basic, Cookie: 'a=b' }, 'POST');
      expect(answer.status).toBe(200);
      expect(seen()?.headers.authorization).toBe(basic);
      expect(seen()?.headers).not.toHaveProperty('cookie');
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(principalTokenIn(seen()?.headers)).toMatchObject({ principal: { kind: 'anonymous' } });
      // An API key beside it is still verified, and the requests count towards it.
      const counted = await send(
        `/oauth2/${name}`,
        { Authorization: basic, 'X-API-Key': client.apiKey },
        'POST',
      );
      expect(counted.headers['ratelimit-policy']).toMatch(/^"second"/);
      expect(principalTokenIn(seen()?.headers)).toMatchObject({
        principal: { client: { id: client.clientId } },
      });
      const rejected = await send(`/oauth2/${name}`, { Authorization: basic, 'X-API-Key': 'x' }, 'POST');
      expect(rejected.status).toBe(401);
    },
  );

  it('pages and browsers: count towards the IP address', async () => {
    const answer = await send('/login', { 'X-API-Key': client.apiKey });
    expect(answer.headers['ratelimit-policy']).toBe('"address";q=1000;w=1');
  });

  describe('when identity is down', () => {
    const BROWSERS_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    beforeAll(() => {
      running.identityProxy.isDown = true;
    });

    afterAll(() => {
      running.identityProxy.isDown = false;
    });

    it.each(['/login', '/portal', '/consent/uid-1'])(
      'pages and browsers, when identity is down: send browsers a self-contained error page for %s',
      async (path) => {
        const headers = { Accept: BROWSERS_ACCEPT, 'X-Request-Id': 'my-request.1' };
        const response = await running.ask(path, headers);
        const html = await response.text();
        expect([502, 503]).toContain(response.status);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(response.headers.get('retry-after')).toBe('2');
        expect(response.headers.get('x-request-id')).toBe('my-request.1');
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('vary')).toMatch(/\bAccept\b/);
        expect(html).toMatch(/<h1>The service is unavailable<\/h1>/);
        expect(html).toContain('my-request.1');
        expect(html).not.toMatch(/<script|<form|<a |src=/);
        const policy = response.headers.get('content-security-policy') ?? '';
        for (const rule of [
          "default-src 'none'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'none'",
        ])
          expect(policy.split('; ')).toContain(rule);
        const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
        const digest = createHash('sha256').update(style).digest('base64');
        expect(policy.split('; ')).toContain(`style-src 'sha256-${digest}'`);
      },
    );

    it.each(['*/*', 'application/json', 'text/css,*/*;q=0.1'])(
      'send the error envelope for Accept: %s',
      async (accept) => {
        const response = await running.ask('/login', { Accept: accept });
        expect([502, 503]).toContain(response.status);
        expect(['BadGatewayError', 'ServiceUnavailableError']).toContain((await envelopeOf(response)).name);
      },
    );

    it('pages and browsers, when identity is down: send the error envelope for operations', async () => {
      const response = await running.ask('/.well-known/jwks.json', { Accept: BROWSERS_ACCEPT });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect((await envelopeOf(response)).details.requestId).toBeDefined();
    });
  });

  it('pages and browsers: send browsers an HTML error page for unknown paths', async () => {
    const response = await running.ask('/portal', { Accept: 'text/html;level=1' }, 'PUT');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      405,
      'text/html; charset=utf-8',
    ]);
  });
});
