import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest } from './pages-under-test.js';
import {
  AuthorizationRequest,
  cameBack,
  createApplication,
  type TestApplication,
} from './test-application.js';

describeInBrowser('users who log in at another host than the one that clients ask', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let logins: string;

  beforeAll(async () => {
    pages = await pagesUnderTest({ loginHost: 'localhost' });
    shop = await createApplication(pages.suite);
    logins = pages.suite.gatewayUrl.replace('127.0.0.1', 'localhost');
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
  });

  it('is said in the configuration document', async () => {
    const { gatewayUrl } = pages.suite;
    const response = await fetch(`${gatewayUrl}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({
      issuer: gatewayUrl,
      authorization_endpoint: `${logins}/oauth2/authorize`,
      jwks_uri: `${gatewayUrl}/.well-known/jwks.json`,
    });
  });

  it.each(['where users log in', 'where clients ask'])('get their codes from %s', async (place) => {
    const { gatewayUrl } = pages.suite;
    const begunAt = place === 'where clients ask' ? gatewayUrl : logins;
    const asked = new AuthorizationRequest(gatewayUrl, shop, { scope: 'openid user:read' });
    const one = await pages.visitor();
    await one.page.goto(asked.url.replace(gatewayUrl, begunAt));
    expect(new URL(one.page.url()).origin).toBe(logins);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.getByRole('button', { name: 'Allow' }).click();
    const back = await cameBack(one.page);
    expect(back.get('iss')).toBe(gatewayUrl);
    const tokens = await asked.exchange(back.get('code') ?? '');
    expect(decodeJwt(tokens.access_token ?? '')).toMatchObject({ iss: gatewayUrl, aud: gatewayUrl });
    await one.page.goto(asked.url.replace(gatewayUrl, begunAt));
    expect((await cameBack(one.page)).get('code')).toBeTruthy();
    const hosts = new Set((await one.context.cookies()).map(({ domain }) => domain));
    expect([...hosts]).toEqual(['localhost']);
    expect(one.complaints).toEqual([]);
  });

  it('find every page there', async () => {
    const { gatewayUrl } = pages.suite;
    const one = await pages.visitor();
    await one.page.goto(`${gatewayUrl}/portal/connections`);
    expect(one.page.url()).toBe(`${logins}/login?to=%2Fportal%2Fconnections`);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.waitForURL(`${logins}/portal/connections`);
    await one.page.goto(`${gatewayUrl}/portal`);
    expect(one.page.url()).toBe(`${logins}/portal`);
  });
});
