import { createHmac, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { freePort } from '../../scripts/processes/ports.mjs';
import { OAuthBrowser } from '../identity/oauth-browser.js';
import { OAuthWorld } from '../identity/oauth-world.js';
import { startChromium } from '../pages/chromium.js';
import { complaintsAt } from '../pages/complaints.js';
import { installWallet } from '../pages/test-wallet.js';
import { LocalChain } from '../support/local-chain.js';
import { describeInBrowser, describeWithExamplePackages, describeWithFlask } from '../support/needs.js';
import { operationOf } from '../support/operation-of.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { QuickStart } from './quick-start.js';

const WHOLE = 10n ** 18n;

let chain: LocalChain;
let suite: RunningSuite;
let world: OAuthWorld;
let front: Receiver;
/** What the next requests for a path get in place of the gateway's answer. */
let refusals: { path: string; status: number; retryAfter: string }[] = [];

const frontUrl = (): string => `http://127.0.0.1:${String(front.port)}`;

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
  suite = await runningSuite({
    rpcUrls: { [chain.chainId]: chain.rpcUrl },
    env: {
      ADDRESS_REQUESTS_PER_SECOND: '1000',
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    },
  });
  world = OAuthWorld.of(suite);
  front = await receiver((request, response) => {
    void (async () => {
      const at = refusals.findIndex(({ path }) => path === request.url);
      const [refusal] = at < 0 ? [] : refusals.splice(at, 1);
      if (refusal) {
        response.writeHead(refusal.status, { 'retry-after': refusal.retryAfter }).end();
        return;
      }
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'OPTIONS';
      const answer = await fetch(`${suite.gatewayUrl}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(hasBody && { body: await buffer(request) }),
      });
      const kept = [...answer.headers].filter(
        ([name]) => !/^(content-(encoding|length)|transfer-encoding|connection)$/.test(name),
      );
      response
        .writeHead(answer.status, Object.fromEntries(kept))
        .end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
}, 120_000);
afterAll(async () => {
  await front.stop();
  await suite.stop();
  await chain.stop();
});

/** A visitor's browser: the cookies of the application, and a wallet with which they sign in at Gatehouse. */
class Visitor {
  readonly gatehouse = new OAuthBrowser(suite.gatewayUrl);
  cookies = new Map<string, string>();

  constructor(private readonly app: QuickStart) {}

  async open(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.app.url + path, { redirect: 'manual', ...init, headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  async hold(coins: bigint): Promise<void> {
    await chain.setNativeBalance(this.gatehouse.wallet.address, coins * WHOLE);
  }

  /** Goes to the login page and back. @returns the address at which the visitor is back, which is not opened yet */
  async comeBack(leaveOut: readonly string[] = []): Promise<string> {
    const { headers } = await this.open('/login');
    const { searchParams } = new URL(headers.get('location') ?? 'http://no-redirect.invalid');
    const asked = Object.fromEntries(searchParams);
    const back = await world.authorize(this.gatehouse, asked, 'grant', leaveOut);
    return back.pathname + back.search;
  }

  async signIn(leaveOut: readonly string[] = []): Promise<Response> {
    await this.gatehouse.signIn();
    return this.open(await this.comeBack(leaveOut));
  }
}

const QUICK_STARTS = [
  { name: 'express', describeIt: describeWithExamplePackages },
  { name: 'python', describeIt: describeWithFlask },
  { name: 'nextjs', describeIt: describeWithExamplePackages },
] as const;

/** What a page shows; Next.js writes comments between texts. */
const textOf = async (response: Response): Promise<string> =>
  (await response.text()).replaceAll(/<script[\s\S]*?<\/script>|<!--.*?-->/g, '');

/** The page with the text of its scripts. */
const EVERYTHING_SENT = `Promise.all(
  [...document.scripts].filter(({ src }) => src !== '').map(async ({ src }) => (await fetch(src)).text()),
).then((texts) => document.documentElement.outerHTML + texts.join(''))`;

for (const { name, describeIt } of QUICK_STARTS)
  describeIt(`the quick start ${name}`, () => {
    let app: QuickStart;
    let application: Shop;
    let secrets: string[];
    let settings: Record<'SESSION_SECRET', string> & Record<string, string>;
    let endpointId: string;

    const askClient = async (path: string, body: object): Promise<Record<string, string>> => {
      const response = await fetch(`${suite.gatewayUrl}/client-applications/${application.clientId}${path}`, {
        method: path === '/published-rules' ? 'PUT' : 'POST',
        headers: { 'x-api-key': application.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Record<string, string>;
    };

    beforeAll(async () => {
      const port = await freePort();
      const appUrl = `http://127.0.0.1:${port}`;
      application = await newShop(appUrl);
      const rule = { type: 'NATIVE', chainId: chain.chainId, minToken: '2', roleId: 'holder' };
      const endpoint = await askClient('/callback-endpoints', {
        url: `${appUrl}/events`,
        events: ['check.completed'],
        description: 'Test',
      });
      if (name === 'nextjs') await askClient('/published-rules', { rules: [{ name: 'holders', rule }] });
      settings = {
        GATEHOUSE_URL: frontUrl(),
        NEXT_PUBLIC_GATEHOUSE_URL: frontUrl(),
        APP_URL: appUrl,
        PORT: String(port),
        GATEHOUSE_API_KEY: application.apiKey,
        CLIENT_ID: application.clientId,
        CLIENT_SECRET: application.clientSecret,
        SESSION_SECRET: 'a secret of the test that is long enough',
        RULE: JSON.stringify(rule),
        ENDPOINT_SECRET: endpoint['secret'] ?? '',
        NEXT_PUBLIC_PUBLISHABLE_ID: application.publishableId,
      };
      endpointId = endpoint['id'] ?? '';
      secrets = [application.apiKey, application.clientSecret, settings.SESSION_SECRET];
      app = await QuickStart.start(name, { gatewayUrl: suite.gatewayUrl, port, settings });
    }, 300_000);
    afterAll(async () => {
      await app.stop();
    });

    const lounge = async (visitor: Visitor): Promise<string> => {
      const response = await visitor.open('/lounge');
      const location = response.headers.get('location');
      return location === null ? textOf(response) : new URL(location, app.url).pathname;
    };

    it(`T416: quick start ${name}: opens the lounge to who holds the token, as long as they do, and to nobody else`, async () => {
      const [holder, other, stranger] = [new Visitor(app), new Visitor(app), new Visitor(app)];
      await holder.hold(3n);
      await other.hold(1n);
      expect((await holder.signIn()).headers.get('location')).toMatch(/\/lounge$/);
      await other.signIn();
      expect(await lounge(holder)).toContain('Welcome to the lounge');
      expect(await lounge(other)).toMatch(/^(?!.*Welcome).*None of your wallets holds/s);
      expect(await lounge(stranger)).toBe('/login');
      for (const one of [holder, other])
        expect((await one.open('/lounge')).headers.get('cache-control')).toMatch(/private,.*no-store/);
      await holder.hold(1n);
      expect(await lounge(holder)).toMatch(/^(?!.*Welcome).*None of your wallets holds/s);
      await holder.hold(3n);
      expect(await lounge(holder)).toContain('Welcome to the lounge');
      // A session that was changed on the way is none.
      for (const [cookie, value] of holder.cookies)
        stranger.cookies.set(cookie, value.replace(/^.{8}/, 'AAAAAAAA'));
      expect(await lounge(stranger)).toBe('/login');
      await holder.open('/logout', { method: 'POST' });
      expect(await lounge(holder)).toBe('/login');
    });

    it(`T417: quick start ${name}: takes no code that another browser asked for, none twice, and none without the wallets`, async () => {
      const [visitor, thief, shy] = [new Visitor(app), new Visitor(app), new Visitor(app)];
      for (const one of [visitor, thief, shy]) await one.hold(3n);
      await visitor.gatehouse.signIn();
      const address = await visitor.comeBack();
      for (const path of [address, '/callback', '/callback?code=x&state=']) {
        expect([path, (await thief.open(path)).status]).toEqual([path, 400]);
        await thief.open('/login');
      }
      expect((await thief.open(address)).status).toBe(400);
      expect(await lounge(thief)).toBe('/login');
      const begun = new Map(visitor.cookies);
      expect((await visitor.open(address)).headers.get('location')).toMatch(/\/lounge$/);
      visitor.cookies = begun;
      expect((await visitor.open(address)).status).toBe(400);
      expect(await lounge(visitor)).toBe('/login');
      // What a failed sign-in was begun with is gone: its code is not even tried again.
      const unlucky = await visitor.comeBack();
      refusals = [{ path: '/oauth2/token', status: 503, retryAfter: '1' }];
      expect((await visitor.open(unlucky)).status).toBe(503);
      expect(refusals).toEqual([]);
      expect((await visitor.open(unlucky)).status).toBe(400);
      expect(await lounge(visitor)).toBe('/login');
      await shy.signIn(['user:wallet:read']);
      expect(await lounge(shy)).toMatch(/^(?!.*Welcome).*allow this site to see your wallets/s);
    });

    it(`T418: quick start ${name}: waits out a short 429, and after a long one or an outage says that nothing was decided`, async () => {
      const visitor = new Visitor(app);
      await visitor.hold(3n);
      const path = '/access-control/check-roles';
      refusals = [{ path: '/oauth2/token', status: 429, retryAfter: '1' }];
      await visitor.signIn();
      refusals = [{ path, status: 429, retryAfter: '1' }];
      expect(await lounge(visitor)).toContain('Welcome to the lounge');
      expect(refusals).toEqual([]);
      for (const refusal of [
        { status: 429, retryAfter: '86400' },
        { status: 503, retryAfter: '3600' },
      ]) {
        refusals = [{ path, ...refusal }];
        const response = await visitor.open('/lounge');
        expect(await textOf(response.clone())).toMatch(/^(?!.*Welcome).*(Try again|to try again)/s);
        // Next.js decides the status of a page before it is rendered.
        expect(response.status).toBe(name === 'nextjs' ? 200 : 503);
        expect(refusals).toEqual([]);
      }
      expect(await lounge(visitor)).toContain('Welcome to the lounge');
      for (const secret of secrets) expect(app.output).not.toContain(secret);
    });

    it(`T419: quick start ${name}: hears of a finished check, and refuses events that are forged, stale or unsigned`, async () => {
      // The challenge of its registration has come before the application listened.
      const headers = { 'x-api-key': application.apiKey, 'content-type': 'application/json' };
      const path = `${suite.gatewayUrl}/client-applications/${application.clientId}/callback-endpoints/${endpointId}`;
      const body = JSON.stringify({ url: `${app.url}/events` });
      expect((await fetch(path, { method: 'PATCH', headers, body })).status).toBe(200);
      await until('the endpoint is verified', async () => {
        const { health } = (await (await fetch(path, { headers })).json()) as { health: { state: string } };
        return health.state === 'working';
      });
      const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          account: '0x1111111111111111111111111111111111111111',
          rules: [{ type: 'NATIVE', chainId: chain.chainId, roleId: 'holder' }],
          async: true,
        }),
      });
      const { requestId } = (await response.json()) as { requestId: string };
      await until('the event arrives', () => app.output.includes(requestId));
      const forged = '{"type":"role.granted","timestamp":"2026-11-28T00:00:00Z","data":{"userId":"forged"}}';
      const post = async (headers: Record<string, string>, content = forged): Promise<number> =>
        (await fetch(`${app.url}/events`, { method: 'POST', headers, body: content })).status;
      const sign = (secret: string, at = Date.now()) => {
        const timestamp = String(Math.floor(at / 1_000));
        const content = `msg_1.${timestamp}.${forged}`;
        const signature = createHmac('sha256', secret).update(content).digest('base64');
        return {
          'webhook-id': 'msg_1',
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        };
      };
      expect(await post({})).toBe(401);
      expect(await post(sign('another secret'))).toBe(401);
      expect(await post({ ...sign('another secret'), 'webhook-signature': 'v1a,AAAA v1,' })).toBe(401);
      expect(await post(sign('another secret', 0), '')).toBe(401);
      expect(await post(sign('another secret'), 'x'.repeat(2 * 1024 * 1024))).toBe(413);
      expect(app.output).not.toContain('forged');
    });

    it(`quick start ${name}: starts with no secret of its sessions that can be guessed`, async () => {
      const port = await freePort();
      for (const secret of ['', 'a secret of 31 characters, only']) {
        const written = app.output.length;
        expect(await app.endOfStart(port, { SESSION_SECRET: secret })).toBeGreaterThan(0);
        expect(app.output.slice(written)).toContain('SESSION_SECRET has to have 32 characters at least.');
      }
    });

    // The sessions of the others carry their end themselves.
    if (name === 'express')
      it('T416: quick start express: takes no copy of the cookie of a session that has ended', async () => {
        const visitor = new Visitor(app);
        await visitor.hold(3n);
        await visitor.signIn();
        const cookie = 'club_express';
        const readSession = (): Record<string, unknown> =>
          JSON.parse(Buffer.from(visitor.cookies.get(cookie) ?? '', 'base64').toString()) as Record<
            string,
            unknown
          >;
        const openWith = async (session: object): Promise<string> => {
          const value = Buffer.from(JSON.stringify(session)).toString('base64');
          const hmac = createHmac('sha1', settings.SESSION_SECRET).update(`${cookie}=${value}`);
          visitor.cookies = new Map([
            [cookie, value],
            [`${cookie}.sig`, hmac.digest('base64url')],
          ]);
          return lounge(visitor);
        };
        const session = readSession();
        expect(await openWith(session)).toContain('Welcome to the lounge');
        expect(await openWith({ ...session, endsAt: Date.now() - 1 })).toBe('/login');
        expect(await openWith({ userId: session['userId'] })).toBe('/login');
      });

    if (name === 'nextjs')
      describeInBrowser('in Chromium', () => {
        let browser: Browser;
        beforeAll(async () => {
          browser = await startChromium();
        });
        afterAll(async () => {
          await browser.close();
        });

        it.each([
          [3n, 'Your wallet opens the lounge.'],
          [1n, 'Your wallet does not hold what the lounge asks for.'],
        ])('quick start nextjs: shows a wallet with %s coins before any sign-in: %s', async (coins, text) => {
          const context = await browser.newContext({ baseURL: app.url });
          const wallet = await installWallet(context, { legacy: true });
          await chain.setNativeBalance(wallet.address as `0x${string}`, coins * WHOLE);
          const page = await context.newPage();
          const complaints: string[] = [];
          page.on('pageerror', ({ message }) => complaints.push(message));
          page.on('console', (message) => {
            // The example has no icon.
            if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
              complaints.push(message.text());
          });
          await page.goto('/');
          await page.getByRole('button', { name: 'Check my wallet' }).click();
          await page.getByText(text).waitFor();
          expect(await complaintsAt(page, [{ width: 390, height: 844 }])).toEqual([]);
          expect(complaints).toEqual([]);
          const sent = String(await page.evaluate(EVERYTHING_SENT));
          expect(sent).toContain(application.publishableId);
          for (const secret of secrets) expect(sent).not.toContain(secret);
          await context.close();
        });
      });
  });

interface Shop {
  clientId: string;
  clientSecret: string;
  apiKey: string;
  publishableId: string;
}

/** An application of an owner who has made a publishable id for its pages. */
async function newShop(appUrl: string): Promise<Shop> {
  const issuer = new PrincipalIssuer(suite.secrets.signing['gateway'] as InternalSigningKey);
  const principal = { kind: 'caller' as const, user: { id: `user_${randomUUID()}` }, scopes: [] };
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const token = await issuer.issueToken(principal, 'identity', operationOf('POST', path));
    const response = await fetch(`${suite.app('identity').url}${path}`, {
      method: 'POST',
      headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const scopes = ['token-gating', 'openid', 'user:wallet:read'];
  const redirectUris = [`${appUrl}/callback`];
  const { application, clientSecret, apiKey } = await ask<
    Pick<Shop, 'clientSecret' | 'apiKey'> & { application: { clientId: string } }
  >('/client-applications', { name: 'Club', scopes, redirectUris });
  const { clientId } = application;
  await suite.clientCommand(['approve', clientId]);
  const path = `/client-applications/${clientId}/publishable-ids`;
  const { publishableId } = await ask<Pick<Shop, 'publishableId'>>(path, { origins: [appUrl] });
  return { clientId, clientSecret, apiKey, publishableId };
}
