import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import {
  AuthorizationRequest,
  cameBack,
  createApplication,
  type TestApplication,
} from './test-application.js';
import { installWallet } from './test-wallet.js';

const subjectOf = (token: string) => decodeJwt(token).sub;

describeInBrowser('what applications may do', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;

  beforeAll(async () => {
    pages = await pagesUnderTest();
    shop = await createApplication(pages.suite);
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
  });

  const request = (parameters: Record<string, string> = {}, application = shop) =>
    new AuthorizationRequest(pages.suite.gatewayUrl, application, parameters);

  /** A browser that was sent here by the application, and has signed in. */
  async function atConsent(asked: AuthorizationRequest): Promise<Visitor> {
    const one = await pages.visitor();
    await one.page.goto(asked.url);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.waitForURL('**/consent/**');
    return one;
  }

  const allow = ({ page }: Visitor) => page.getByRole('button', { name: 'Allow' }).click();

  const me = async (token = '') => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${pages.suite.gatewayUrl}/account/me`, { headers })).status;
  };

  it('is asked after the login, in plain words, and granted with a code', async () => {
    const asked = request();
    const one = await pages.visitor();
    await one.page.goto(asked.url);
    await one.page.getByText(`Shop at ${new URL(shop.redirectUri).host} wants to know who you are`).waitFor();
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.getByRole('heading', { name: 'Allow Shop?' }).waitFor();
    await one.page.getByLabel("Read the user's connected wallets").waitFor();
    await allow(one);
    const back = await cameBack(one.page);
    expect(back.get('state')).toBe('as it was');
    expect(back.get('iss')).toBe(pages.suite.gatewayUrl);
    const { access_token: token, scope } = await asked.exchange(back.get('code') ?? '');
    expect(scope?.split(' ').sort()).toEqual(['user:read', 'user:wallet:read']);
    expect(await me(token)).toBe(200);
    expect(one.complaints).toEqual([]);
  });

  it('is not asked again for what is known, also from the portal’s login', async () => {
    const one = await atConsent(request());
    await allow(one);
    await cameBack(one.page);
    await one.page.goto('about:blank');
    await one.page.goto(request().url);
    expect((await cameBack(one.page)).get('code')).toBeTruthy();

    const fromPortal = await pages.member();
    await fromPortal.page.goto(request().url);
    await fromPortal.page.getByRole('heading', { name: 'Allow Shop?' }).waitFor();
  });

  it('is given in part', async () => {
    const asked = request();
    const one = await atConsent(asked);
    await one.page.getByLabel("Read the user's connected wallets").uncheck();
    await allow(one);
    const { scope } = await asked.exchange((await cameBack(one.page)).get('code') ?? '');
    expect(scope).toBe('user:read');
  });

  it('is not nothing', async () => {
    const one = await atConsent(request());
    for (const box of await one.page.getByRole('checkbox').all()) await box.uncheck();
    await allow(one);
    await one.page.getByText('Leave at least one of them checked, or deny.').waitFor();
  });

  it('is denied, and the application hears it', async () => {
    const one = await atConsent(request());
    await one.page.getByRole('button', { name: 'Deny' }).click();
    const back = await cameBack(one.page);
    expect([back.get('error'), back.get('state'), back.get('code')]).toEqual([
      'access_denied',
      'as it was',
      null,
    ]);
  });

  it('need not come to a login', async () => {
    const one = await pages.visitor();
    await one.page.goto(request().url);
    await one.page.getByRole('button', { name: 'Cancel, back to Shop' }).click();
    expect((await cameBack(one.page)).get('error')).toBe('access_denied');
  });

  it('is granted with a token in the fragment', async () => {
    const one = await atConsent(request({ response_type: 'token' }));
    await allow(one);
    const back = await cameBack(one.page);
    expect(new URL(one.page.url()).search).toBe('');
    expect(back.get('token_type')).toBe('Bearer');
    expect(await me(back.get('access_token') ?? '')).toBe(200);
  });

  it('cannot be given in another browser, nor by another user of this one', async () => {
    const victim = await atConsent(request());
    const path = new URL(victim.page.url()).pathname;
    const attacker = await pages.member();
    const seen = await attacker.page.goto(path);
    expect(seen?.status()).toBe(400);
    expect(await attacker.page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
    const csrf = await attacker.page.locator('input[name=csrf]').first().inputValue();
    const posted = await attacker.context.request.post(path, {
      form: { csrf, decision: 'grant', 'scope.user:read': 'on' },
      headers: { origin: pages.suite.gatewayUrl },
      maxRedirects: 0,
    });
    expect(posted.status()).toBe(400);

    const other = await pages.member();
    const session = (await other.context.cookies()).filter(({ name }) => name === 'gatehouse_session');
    await victim.context.addCookies(session);
    expect((await victim.page.goto(path))?.status()).toBe(403);
  });

  it('asks for a new login when the application wants one, or the last is too old', async () => {
    const one = await pages.member();
    const questions = one.wallet.messages.length;
    await one.page.goto(request({ prompt: 'login' }).url);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.getByRole('button', { name: 'Deny' }).click();
    await cameBack(one.page);
    expect(one.wallet.messages.length).toBe(questions + 1);
    await pages.inDatabase(`UPDATE identity.browser_sessions SET signed_in_at = now() - interval '1 hour'`);
    await one.page.goto(request({ scope: 'openid user:read', max_age: '7200' }).url);
    await one.page.getByRole('button', { name: 'Deny' }).waitFor();
    await one.context.clearCookies({ name: /oauth/ });
    await one.page.goto(request({ scope: 'openid', max_age: '600' }).url);
    await one.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  });

  it('is over with signing out', async () => {
    const one = await atConsent(request());
    await allow(one);
    await cameBack(one.page);
    await one.page.goto('/portal');
    await one.page.getByRole('button', { name: 'Sign out' }).click();
    await one.page.waitForURL('**/login');
    await one.page.goto(request().url);
    await one.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  });

  it('goes to the user who signs in, not to the one before', async () => {
    const one = await pages.visitor();
    const other = await installWallet(one.context, { name: 'Other Wallet' });
    await one.page.goto(request().url);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.getByRole('button', { name: 'Sign out' }).click();
    await one.page.waitForURL('**/login');
    await one.page.getByRole('button', { name: 'Other Wallet' }).click();
    await one.page.waitForURL('**/portal');
    const asked = request();
    await one.page.goto(asked.url);
    await allow(one);
    const { access_token: token = '' } = await asked.exchange((await cameBack(one.page)).get('code') ?? '');
    expect(subjectOf(token)).toBe(deriveUserId('ethereum', other.address.toLowerCase()));
  });

  it('ends where one signed in with a wallet, too', async () => {
    const one = await pages.member();
    const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json' };
    const ask = async (path: string, body: object) => {
      const url = `${pages.suite.gatewayUrl}/ethereum-login/${path}`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { requestId: string; message: string; idToken: string };
    };
    const uri = new URL(shop.redirectUri).origin;
    const { requestId, message } = await ask('challenges', { uri, accountId: one.wallet.address });
    const { idToken } = await ask('id-tokens', { requestId, signature: await one.wallet.sign(message) });
    const status = async () => {
      const authorization = { authorization: `AE ${idToken}` };
      return (await fetch(`${pages.suite.gatewayUrl}/account/me`, { headers: authorization })).status;
    };
    expect(await status()).toBe(200);
    await one.page.goto('/portal/connections');
    await one.page.getByText('signed in with your wallet').waitFor();
    await one.page.getByRole('button', { name: 'Take back what Shop may do' }).click();
    await one.page.getByText('You have allowed no application anything.').waitFor();
    await until('the token is dead', async () => (await status()) === 401);
  });

  it('is taken back: what was given out dies', async () => {
    const asked = request();
    const one = await atConsent(asked);
    await allow(one);
    const { access_token: token } = await asked.exchange((await cameBack(one.page)).get('code') ?? '');
    expect(await me(token)).toBe(200);
    await one.page.goto('/portal');
    await one.page.getByRole('link', { name: 'Connected' }).click();
    await one.page.getByRole('heading', { name: 'Shop' }).waitFor();
    const stranger = await pages.member();
    await stranger.page.goto('/portal/connections');
    expect(await stranger.page.getByRole('heading', { name: 'Shop' }).count()).toBe(0);
    await one.page.getByRole('button', { name: 'Take back what Shop may do' }).click();
    await one.page.getByText('You have allowed no application anything.').waitFor();
    await until('the token is dead', async () => (await me(token)) === 401);
  });
});
