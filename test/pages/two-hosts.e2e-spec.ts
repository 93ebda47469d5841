import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { describeInBrowser } from '../support/needs.js';
import { leaseLoginHostPages, type PagesUnderTest } from './pages-under-test.js';
import {
  AuthorizationRequest,
  cameBack,
  createApplication,
  type TestApplication,
} from './test-application.js';

describeInBrowser('users with a login host other than the API host', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let logins: string;

  beforeAll(async () => {
    pages = await leaseLoginHostPages();
    shop = await createApplication(pages.suite);
    logins = pages.suite.gatewayUrl.replace('127.0.0.1', 'localhost');
  });

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
  });

  it('users with a login host other than the API host: find the login host in the discovery document', async () => {
    const { gatewayUrl } = pages.suite;
    const response = await fetch(`${gatewayUrl}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({
      issuer: gatewayUrl,
      authorization_endpoint: `${logins}/oauth2/authorize`,
      jwks_uri: `${gatewayUrl}/.well-known/jwks.json`,
    });
  });

  it.each(['the login host', 'the API host'])(
    'users with a login host other than the API host: receive their codes after a start at %s',
    async (place) => {
      const { gatewayUrl } = pages.suite;
      const begunAt = place === 'the API host' ? gatewayUrl : logins;
      const authorization = new AuthorizationRequest(gatewayUrl, shop, { scope: 'openid user:read' });
      const visitor = await pages.visitor();
      await visitor.page.goto(authorization.url.replace(gatewayUrl, begunAt));
      expect(new URL(visitor.page.url()).origin).toBe(logins);
      await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
      await visitor.page.getByRole('button', { name: 'Allow access' }).click();
      const back = await cameBack(visitor.page);
      expect(back.get('iss')).toBe(gatewayUrl);
      const tokens = await authorization.exchange(back.get('code') ?? '');
      expect(decodeJwt(tokens.access_token ?? '')).toMatchObject({ iss: gatewayUrl, aud: gatewayUrl });
      await visitor.page.goto(authorization.url.replace(gatewayUrl, begunAt));
      expect((await cameBack(visitor.page)).get('code')).toBeTruthy();
      const hosts = new Set((await visitor.context.cookies()).map(({ domain }) => domain));
      expect([...hosts]).toEqual(['localhost']);
      expect(visitor.complaints).toEqual([]);
    },
  );

  it('users with a login host other than the API host: are redirected to the login host for every page', async () => {
    const { gatewayUrl } = pages.suite;
    const visitor = await pages.visitor();
    await visitor.page.goto(`${gatewayUrl}/portal/connections`);
    expect(visitor.page.url()).toBe(`${logins}/login?to=%2Fportal%2Fconnections`);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.waitForURL(`${logins}/portal/connections`);
    await visitor.page.goto(`${gatewayUrl}/portal`);
    expect(visitor.page.url()).toBe(`${logins}/portal`);
  });
});
