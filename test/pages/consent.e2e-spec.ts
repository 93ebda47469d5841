import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import {
  AuthorizationRequest,
  cameBack,
  createApplication,
  type TestApplication,
} from './test-application.js';
import { installWallet } from './test-wallet.js';

const subjectOf = (token: string) => decodeJwt(token).sub;

describeInBrowser('the consent of a user to an application', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;

  beforeAll(async () => {
    pages = await leasePages();
    shop = await createApplication(pages.suite);
  });

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
  });

  const request = (parameters: Record<string, string> = {}, application = shop) =>
    new AuthorizationRequest(pages.suite.gatewayUrl, application, parameters);

  /** Starts an authorization request in a new browser and signs in. */
  async function atConsent(authorization: AuthorizationRequest): Promise<Visitor> {
    const visitor = await pages.visitor();
    await visitor.page.goto(authorization.url);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.waitForURL('**/consent/**');
    return visitor;
  }

  const allow = ({ page }: Visitor) => page.getByRole('button', { name: 'Allow access' }).click();

  const me = async (token = '') => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${pages.suite.gatewayUrl}/account/me`, { headers })).status;
  };

  it('consent of a user to an application: is requested after the login and grants a code', async () => {
    const authorization = request();
    const visitor = await pages.visitor();
    await visitor.page.goto(authorization.url);
    await visitor.page.getByText(`Shop at ${new URL(shop.redirectUri).host} asks you to sign in`).waitFor();
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.getByRole('heading', { name: 'Allow Shop?' }).waitFor();
    await visitor.page.getByLabel("Read the user's connected wallets").waitFor();
    await allow(visitor);
    const back = await cameBack(visitor.page);
    expect(back.get('state')).toBe('as it was');
    expect(back.get('iss')).toBe(pages.suite.gatewayUrl);
    const { access_token: token, scope } = await authorization.exchange(back.get('code') ?? '');
    expect(scope?.split(' ').sort()).toEqual(['user:read', 'user:wallet:read']);
    expect(await me(token)).toBe(200);
    expect(visitor.complaints).toEqual([]);
  });

  it('consent of a user to an application: is not requested again for granted scopes', async () => {
    const visitor = await atConsent(request());
    await allow(visitor);
    await cameBack(visitor.page);
    await visitor.page.goto('about:blank');
    await visitor.page.goto(request().url);
    expect((await cameBack(visitor.page)).get('code')).toBeTruthy();

    const fromPortal = await pages.member();
    await fromPortal.page.goto(request().url);
    await fromPortal.page.getByRole('heading', { name: 'Allow Shop?' }).waitFor();
  });

  it('consent of a user to an application: can be partial', async () => {
    const authorization = request();
    const visitor = await atConsent(authorization);
    await visitor.page.getByLabel("Read the user's connected wallets").uncheck();
    await allow(visitor);
    const { scope } = await authorization.exchange((await cameBack(visitor.page)).get('code') ?? '');
    expect(scope).toBe('user:read');
  });

  it('consent of a user to an application: cannot be empty', async () => {
    const visitor = await atConsent(request());
    for (const box of await visitor.page.getByRole('checkbox').all()) await box.uncheck();
    await allow(visitor);
    await visitor.page.getByText('Select at least one permission, or deny access.').waitFor();
  });

  it('consent of a user to an application: can be denied, which redirects with an error', async () => {
    const visitor = await atConsent(request());
    await visitor.page.getByRole('button', { name: 'Deny access' }).click();
    const back = await cameBack(visitor.page);
    expect([back.get('error'), back.get('state'), back.get('code')]).toEqual([
      'access_denied',
      'as it was',
      null,
    ]);
  });

  it('consent of a user to an application: can be cancelled before the login', async () => {
    const visitor = await pages.visitor();
    await visitor.page.goto(request().url);
    await visitor.page.getByRole('button', { name: 'Cancel and return to Shop' }).click();
    expect((await cameBack(visitor.page)).get('error')).toBe('access_denied');
  });

  it('consent of a user to an application: grants a token in the fragment for the implicit flow', async () => {
    const visitor = await atConsent(request({ response_type: 'token' }));
    await allow(visitor);
    const back = await cameBack(visitor.page);
    expect(new URL(visitor.page.url()).search).toBe('');
    expect(back.get('token_type')).toBe('Bearer');
    expect(await me(back.get('access_token') ?? '')).toBe(200);
  });

  it('consent of a user to an application: cannot be given in another browser or by another user', async () => {
    const victim = await atConsent(request());
    const path = new URL(victim.page.url()).pathname;
    const attacker = await pages.member();
    const seen = await attacker.page.goto(path);
    expect(seen?.status()).toBe(400);
    expect(await attacker.page.getByRole('button', { name: 'Allow access' }).count()).toBe(0);
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

  it('consent of a user to an application: requires a new login with prompt=login or after max_age', async () => {
    const visitor = await pages.member();
    const previousMessages = visitor.wallet.messages.length;
    await visitor.page.goto(request({ prompt: 'login' }).url);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.getByRole('button', { name: 'Deny access' }).click();
    await cameBack(visitor.page);
    expect(visitor.wallet.messages.length).toBe(previousMessages + 1);
    await pages.inDatabase(`UPDATE identity.browser_sessions SET signed_in_at = now() - interval '1 hour'`);
    await visitor.page.goto(request({ scope: 'openid user:read', max_age: '7200' }).url);
    await visitor.page.getByRole('button', { name: 'Deny access' }).waitFor();
    await visitor.context.clearCookies({ name: /oauth/ });
    await visitor.page.goto(request({ scope: 'openid', max_age: '600' }).url);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  });

  it('consent of a user to an application: requires a new login after a logout', async () => {
    const visitor = await atConsent(request());
    await allow(visitor);
    await cameBack(visitor.page);
    await visitor.page.goto('/portal');
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.waitForURL('**/login/signed-out');
    await visitor.page.goto(request().url);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  });

  it('consent of a user to an application: belongs to the user who signs in last', async () => {
    const visitor = await pages.visitor();
    const other = await installWallet(visitor.context, { name: 'Other Wallet' });
    await visitor.page.goto(request().url);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.waitForURL('**/login/signed-out');
    await visitor.page.getByRole('link', { name: 'Sign in again' }).click();
    await visitor.page.getByRole('button', { name: 'Other Wallet' }).click();
    await visitor.page.waitForURL('**/portal/communities');
    const authorization = request();
    await visitor.page.goto(authorization.url);
    await allow(visitor);
    const { access_token: token = '' } = await authorization.exchange(
      (await cameBack(visitor.page)).get('code') ?? '',
    );
    expect(subjectOf(token)).toBe(deriveUserId('ethereum', other.address.toLowerCase()));
  });

  it('consent of a user to an application: is revoked together with wallet logins', async () => {
    const visitor = await pages.member();
    const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json' };
    const ask = async (path: string, body: object) => {
      const url = `${pages.suite.gatewayUrl}/ethereum-login/${path}`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { requestId: string; message: string; idToken: string };
    };
    const uri = new URL(shop.redirectUri).origin;
    const { requestId, message } = await ask('challenges', { uri, accountId: visitor.wallet.address });
    const { idToken } = await ask('id-tokens', { requestId, signature: await visitor.wallet.sign(message) });
    const status = async () => {
      const authorization = { authorization: `AE ${idToken}` };
      return (await fetch(`${pages.suite.gatewayUrl}/account/me`, { headers: authorization })).status;
    };
    expect(await status()).toBe(200);
    await visitor.page.goto('/portal/connections');
    await visitor.page.getByText('signed in with your wallet').waitFor();
    await visitor.page.getByText('Revoke access…').click();
    await visitor.page.getByRole('button', { name: 'Revoke access of Shop' }).click();
    await visitor.page.getByText('No connected applications yet').waitFor();
    await until('the token is dead', async () => (await status()) === 401);
  });

  it('consent of a user to an application: can be revoked, which revokes its tokens', async () => {
    const authorization = request();
    const visitor = await atConsent(authorization);
    await allow(visitor);
    const { access_token: token } = await authorization.exchange(
      (await cameBack(visitor.page)).get('code') ?? '',
    );
    expect(await me(token)).toBe(200);
    await visitor.page.goto('/portal');
    await visitor.page.getByRole('link', { name: 'Connections' }).click();
    await visitor.page.getByRole('heading', { name: 'Shop' }).waitFor();
    const stranger = await pages.member();
    await stranger.page.goto('/portal/connections');
    expect(await stranger.page.getByRole('heading', { name: 'Shop' }).count()).toBe(0);
    await visitor.page.getByText('Revoke access…').click();
    await visitor.page.getByRole('button', { name: 'Revoke access of Shop' }).click();
    await visitor.page.getByText('No connected applications yet').waitFor();
    await until('the token is dead', async () => (await me(token)) === 401);
  });
});
