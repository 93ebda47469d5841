import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import type { Browser, Page } from 'playwright-core';
import { CALLBACK, OAuthWorld } from '../identity/oauth-world.js';
import { startChromium } from '../pages/chromium.js';
import { LocalChain } from '../support/local-chain.js';
import { describeInBrowser } from '../support/needs.js';
import { operationOf } from '../support/operation-of.js';
import { receiver, type Receiver } from '../support/receiver.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import type { OAuthTokens } from '../../clients/typescript/src/index.js';
import { importBuiltClient, siteWith } from './built-client.js';

const HOLDER = '0x1111111111111111111111111111111111111111';
const STRANGER = '0x2222222222222222222222222222222222222222';
const WHOLE = 10n ** 18n;

/** What runs in a page and in a worker: the flow of somebody who has a publishable id. */
const FLOW = `
import { checkPublishedRules, createClient, readRole, request, verifyCallback } from '/client/index.js';

export async function runFlow({ baseUrl, publishableId, holder, stranger }) {
  const client = createClient({ baseUrl, publishableId });
  const verdictOf = async (account) => readRole(await checkPublishedRules(client, { account, rules: ['holders'] }), 'holder');
  const errorOf = (promise) => promise.then(() => undefined, ({ name, status, code }) => ({ name, status, code }));
  const verdicts = [await verdictOf(holder), await verdictOf(stranger)];
  const { chains } = await request(client, 'GET /chains');
  const unknown = await errorOf(checkPublishedRules(client, { account: holder, rules: ['others'] }));
  const forbidden = await errorOf(request(client, 'GET /communities'));
  let secret;
  try {
    createClient({ baseUrl, apiKey: 'gth_live_x' });
  } catch (error) {
    secret = error.name;
  }
  const headers = {
    'webhook-id': 'msg_01JD0000000000000000000000',
    'webhook-timestamp': '1795160000',
    'webhook-signature': 'v1,DosXdXX1Nklm5YPNpy7F3KPV9+Mp12Mvyank2xg1his=',
  };
  const body = '{"requestId":"0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11","clientId":"client_42","roles":[{"id":"001","granted":true}]}';
  const isGenuine = await verifyCallback(headers, body, 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', { nowSeconds: 1795160000 });
  return { verdicts, chains: chains.length > 0, unknown, forbidden, secret, isGenuine };
}
`;

const PAGE_SCRIPT = `
import { runFlow } from '/flow.js';
window.runFlow = runFlow;
window.runInWorker = (options) => new Promise((resolve, reject) => {
  const worker = new Worker('/worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(options);
});
document.title = 'Ready';
`;

const WORKER = `
import { runFlow } from '/flow.js';
onmessage = async ({ data }) => postMessage(await runFlow(data));
`;

const FILES = {
  '/': '<!doctype html><html lang="en"><title>Loading</title><script type="module" src="/page.js"></script>',
  '/flow.js': FLOW,
  '/page.js': PAGE_SCRIPT,
  '/worker.js': WORKER,
};

interface Shop {
  clientId: string;
  apiKey: string;
  publishableId: string;
}

describe('the built client against the suite', () => {
  let chain: LocalChain;
  let suite: RunningSuite;
  let world: OAuthWorld;
  let client: Awaited<ReturnType<typeof importBuiltClient>>;

  beforeAll(async () => {
    client = await importBuiltClient();
    chain = await LocalChain.start();
    await chain.installMulticall3();
    suite = await runningSuite({
      rpcUrls: { [chain.chainId]: chain.rpcUrl },
      env: { ADDRESS_REQUESTS_PER_SECOND: '1000', CALLBACK_ALLOW_CIDRS: '127.0.0.0/8' },
    });
    world = OAuthWorld.of(suite);
    await chain.setNativeBalance(HOLDER, 3n * WHOLE);
    await chain.setNativeBalance(STRANGER, 0n);
  }, 120_000);

  afterAll(async () => {
    await suite.stop();
    await chain.stop();
  });

  const rule = (minToken: string, roleId: string) => ({
    type: 'NATIVE' as const,
    chainId: chain.chainId,
    minToken,
    roleId,
  });

  it('client in Node: checks at once and later, and verifies the callback of a check', async () => {
    const { apiKey } = await suite.createClient();
    const server = client.createClient({ baseUrl: suite.gatewayUrl, apiKey });
    const check = { account: HOLDER, rules: [rule('2', 'holder'), rule('900', 'whale')] };
    const answer = await client.checkRoles(server, check);
    expect(['holder', 'whale'].map((id) => client.readRole(answer, id))).toEqual(['granted', 'denied']);

    const arrived: { headers: Record<string, string | string[] | undefined>; body: string }[] = [];
    const shop = await receiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(204).end();
      });
    });
    const callbackUrl = `http://127.0.0.1:${String(shop.port)}/`;
    const requestId = await client.checkRolesAsync(server, { ...check, callbackUrl });
    const later = await client.waitForRoles(server, requestId);
    expect(later.roles).toEqual(answer.roles);
    await until('the callback arrives', () => arrived.length > 0);
    await shop.stop();
    const [{ headers, body } = { headers: {}, body: '' }] = arrived;
    const source = client.createKeySource(server);
    expect(await source.verify(headers, body)).toBe(true);
    expect(await source.verify(headers, `${body} `)).toBe(false);
    expect(JSON.parse(body)).toMatchObject({ requestId });
  });

  it('client in Node: reports what is wrong with a request, a key and a network', async () => {
    const { apiKey } = await suite.createClient();
    const server = client.createClient({ baseUrl: suite.gatewayUrl, apiKey });
    const wrong = { account: HOLDER, rules: [{ ...rule('1', 'a'), chainId: 424_242 }] };
    await expect(client.checkRoles(server, wrong)).rejects.toMatchObject({
      name: 'GatehouseError',
      status: 400,
      issues: [expect.objectContaining({ path: 'rules.0.chainId' })],
      requestId: expect.any(String),
    });
    const stranger = client.createClient({ baseUrl: suite.gatewayUrl, apiKey: 'gth_live_nobody' });
    await expect(client.request(stranger, 'GET /chains')).rejects.toMatchObject({ status: 401 });
    const nowhere = client.createClient({ baseUrl: 'http://127.0.0.1:1', retry: { baseDelayMs: 1 } });
    await expect(client.request(nowhere, 'GET /chains')).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  /** A user whose token has ended already, so that the first requests refresh it. */
  async function signIn(clientId: string, scopes: readonly string[]) {
    const anonymous = client.createClient({ baseUrl: suite.gatewayUrl });
    const application = { clientId, redirectUri: CALLBACK };
    const begun = await client.createAuthorizationRequest(anonymous, { ...application, scopes });
    const browser = await world.user();
    const back = await world.authorize(browser, Object.fromEntries(new URL(begun.url).searchParams));
    const code = client.readAuthorizationCode(back, begun.state);
    const tokens = await client.exchangeCode(anonymous, application, {
      code,
      codeVerifier: begun.codeVerifier,
    });
    const kept: { tokens: OAuthTokens } = { tokens: { ...tokens, expiresAt: 0 } };
    const accessToken = client.createTokenSource(anonymous, {
      clientId,
      store: {
        load: () => kept.tokens,
        save: (next) => {
          kept.tokens = next;
        },
      },
    });
    return { user: client.createClient({ baseUrl: suite.gatewayUrl, accessToken }), tokens, kept };
  }

  it('T403: client in Node: signs users in by code and PKCE, refreshes once for many requests, and walks through members', async () => {
    const scopes = ['user:read', 'community:read', 'community:write', 'offline_access'];
    const { clientId } = await world.application({ type: 'public', scopes });
    const { user, tokens, kept } = await signIn(clientId, scopes);
    expect([tokens.scopes.toSorted(), typeof tokens.refreshToken]).toEqual([scopes.toSorted(), 'string']);
    // A second refresh by the same token would end the grant of a public application.
    const profiles = await Promise.all(
      Array.from({ length: 8 }, () => client.request(user, 'GET /account/me')),
    );
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(1);
    expect(kept.tokens.accessToken).not.toBe(tokens.accessToken);

    const { communityId } = await client.request(user, 'POST /communities', {
      body: { name: 'Book club', platform: 'ethereum', visibility: 'public' },
    });
    const path = { communityId };
    const others = await Promise.all([signIn(clientId, scopes), signIn(clientId, scopes)]);
    const everybody = [user, ...others.map((other) => other.user)];
    for (const one of everybody)
      await client.request(one, 'POST /communities/{communityId}/members', { path });
    const ids = await Promise.all(
      everybody.map(async (one) => (await client.request(one, 'GET /account/me')).id),
    );
    const members: string[] = [];
    for await (const { userId } of client.paginate(user, 'GET /communities/{communityId}/members', {
      path,
      query: { limit: 1 },
    }))
      members.push(userId);
    expect(members.toSorted()).toEqual(ids.toSorted());
    await expect(
      client.request(user, 'DELETE /communities/{communityId}', { path }),
    ).resolves.toBeUndefined();
    await expect(client.request(user, 'GET /communities/{communityId}', { path })).rejects.toMatchObject({
      code: 'community_not_found',
    });
  });

  describeInBrowser('in Chromium', () => {
    let browser: Browser;
    let site: Receiver;
    let page: Page;
    const complaints: string[] = [];

    beforeAll(async () => {
      browser = await startChromium();
      site = await receiver(siteWith(FILES));
      page = await browser.newPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (message) => {
        if (/policy/i.test(message.text())) complaints.push(message.text());
      });
    });

    afterAll(async () => {
      await browser.close();
      await site.stop();
    });

    /** An application whose owner has published a rule and made a publishable id for the site. */
    async function newShop(origin: string): Promise<Shop> {
      const issuer = new PrincipalIssuer(suite.secrets.signing['gateway'] as InternalSigningKey);
      const principal = { kind: 'caller' as const, user: { id: `user_${randomUUID()}` }, scopes: [] };
      const ask = async <T>(path: string, body: object): Promise<T> => {
        const token = await issuer.issueToken(principal, 'identity', operationOf('POST', path));
        const response = await fetch(`${suite.app('identity').url}${path}`, {
          method: 'POST',
          headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return (await response.json()) as T;
      };
      const { application, apiKey } = await ask<{ application: { clientId: string }; apiKey: string }>(
        '/client-applications',
        { name: 'Shop', scopes: ['token-gating'] },
      );
      const { clientId } = application;
      await suite.clientCommand(['approve', clientId]);
      const ids = `/client-applications/${clientId}/publishable-ids`;
      const { publishableId } = await ask<{ publishableId: string }>(ids, { origins: [origin] });
      const server = client.createClient({ baseUrl: suite.gatewayUrl, apiKey });
      await client.request(server, 'PUT /client-applications/{clientId}/published-rules', {
        path: { clientId },
        body: { rules: [{ name: 'holders', rule: rule('2', 'holder') }] },
      });
      return { clientId, apiKey, publishableId };
    }

    it.each(['runFlow', 'runInWorker'])(
      'client in Chromium: %s checks published rules with a publishable id, and refuses an API key',
      async (entry) => {
        const origin = `http://127.0.0.1:${String(site.port)}`;
        const { publishableId } = await newShop(origin);
        await page.goto(origin);
        await until('the script has run', async () => (await page.title()) === 'Ready');
        const options = { baseUrl: suite.gatewayUrl, publishableId, holder: HOLDER, stranger: STRANGER };
        expect(await page.evaluate(`${entry}(${JSON.stringify(options)})`)).toEqual({
          verdicts: ['granted', 'denied'],
          chains: true,
          unknown: { name: 'GatehouseError', status: 404, code: 'published_rule_not_found' },
          forbidden: { name: 'GatehouseError', status: 403, code: 'publishable_id_forbidden' },
          secret: 'TypeError',
          isGenuine: true,
        });
        expect(complaints).toEqual([]);
      },
    );
  });
});
