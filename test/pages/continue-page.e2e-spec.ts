import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { receiver, type Receiver } from '../support/receiver.js';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { AuthorizationRequest, createApplication, type TestApplication } from './test-application.js';

describeInBrowser('the continue page to an application that redirects to another site', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let landing: Receiver;

  beforeAll(async () => {
    pages = await leasePages();
    landing = await receiver((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Landed</title>');
    });
    const callback: RequestListener = ({ url = '' }, response) => {
      const { search } = new URL(url, 'http://shop.example');
      response.writeHead(302, { location: `http://localhost:${String(landing.port)}/home${search}` }).end();
    };
    shop = await createApplication(pages.suite, 'Shop', undefined, callback);
  });

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
    await landing.stop();
  });

  async function begin(): Promise<Visitor> {
    const visitor = await pages.visitor();
    await visitor.page.goto(new AuthorizationRequest(pages.suite.gatewayUrl, shop).url);
    return visitor;
  }

  async function atConsent(): Promise<Visitor> {
    const visitor = await begin();
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.waitForURL('**/consent/**');
    return visitor;
  }

  async function landed({ page, complaints }: Visitor): Promise<URLSearchParams> {
    await page.waitForURL('**/home?**');
    expect(await page.title()).toBe('Landed');
    expect(complaints).toEqual([]);
    return new URL(page.url()).searchParams;
  }

  it('continue page to an application that redirects to another site: works after consent', async () => {
    const visitor = await atConsent();
    await visitor.page.getByRole('button', { name: 'Allow access' }).click();
    expect((await landed(visitor)).get('code')).toBeTruthy();
  });

  it('continue page to an application that redirects to another site: works after a denial', async () => {
    const visitor = await atConsent();
    await visitor.page.getByRole('button', { name: 'Deny access' }).click();
    expect((await landed(visitor)).get('error')).toBe('access_denied');
  });

  it('continue page to an application that redirects to another site: works after a cancelled login', async () => {
    const visitor = await begin();
    await visitor.page.getByRole('button', { name: 'Cancel and return to Shop' }).click();
    expect((await landed(visitor)).get('error')).toBe('access_denied');
  });

  it('continue page to an application that redirects to another site: is not in the browser history', async () => {
    const visitor = await atConsent();
    await visitor.page.getByRole('button', { name: 'Allow access' }).click();
    await landed(visitor);
    await visitor.page.goBack();
    expect(new URL(visitor.page.url()).pathname).toMatch(/^\/consent\//);
  });

  it('continue page to an application that redirects to another site: has a link for browsers without meta refresh', async () => {
    const visitor = await atConsent();
    const csrf = await visitor.page.locator('input[name=csrf]').first().inputValue();
    const answer = await visitor.context.request.post(visitor.page.url(), {
      form: { csrf, decision: 'deny' },
      headers: { origin: pages.suite.gatewayUrl },
    });
    expect(answer.status()).toBe(200);
    const html = await answer.text();
    const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html) ?? [];
    expect(url).toMatch(new RegExp(`^${pages.suite.gatewayUrl}/oauth2/authorize/[\\w-]+$`));
    expect(html).toContain(`<a class="button" href="${url}">Continue to Shop</a>`);
  });
});
