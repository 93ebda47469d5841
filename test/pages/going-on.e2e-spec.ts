import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { receiver, type Receiver } from '../support/receiver.js';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { AuthorizationRequest, createApplication, type TestApplication } from './test-application.js';

describeInBrowser('going on to an application that sends people to yet another site', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let landing: Receiver;

  beforeAll(async () => {
    pages = await pagesUnderTest();
    landing = await receiver((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Landed</title>');
    });
    const callback: RequestListener = ({ url = '' }, response) => {
      const { search } = new URL(url, 'http://shop.example');
      response.writeHead(302, { location: `http://localhost:${String(landing.port)}/home${search}` }).end();
    };
    shop = await createApplication(pages.suite, 'Shop', undefined, callback);
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
    await landing.stop();
  });

  async function begin(): Promise<Visitor> {
    const one = await pages.visitor();
    await one.page.goto(new AuthorizationRequest(pages.suite.gatewayUrl, shop).url);
    return one;
  }

  async function atConsent(): Promise<Visitor> {
    const one = await begin();
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.waitForURL('**/consent/**');
    return one;
  }

  async function landed({ page, complaints }: Visitor): Promise<URLSearchParams> {
    await page.waitForURL('**/home?**');
    expect(await page.title()).toBe('Landed');
    expect(complaints).toEqual([]);
    return new URL(page.url()).searchParams;
  }

  it('works after a yes', async () => {
    const one = await atConsent();
    await one.page.getByRole('button', { name: 'Allow' }).click();
    expect((await landed(one)).get('code')).toBeTruthy();
  });

  it('works after a no', async () => {
    const one = await atConsent();
    await one.page.getByRole('button', { name: 'Deny' }).click();
    expect((await landed(one)).get('error')).toBe('access_denied');
  });

  it('works for who does not want to sign in', async () => {
    const one = await begin();
    await one.page.getByRole('button', { name: 'Cancel, back to Shop' }).click();
    expect((await landed(one)).get('error')).toBe('access_denied');
  });

  it('leaves nothing to come back to by the back button but the decision itself', async () => {
    const one = await atConsent();
    await one.page.getByRole('button', { name: 'Allow' }).click();
    await landed(one);
    await one.page.goBack();
    expect(new URL(one.page.url()).pathname).toMatch(/^\/consent\//);
  });

  it('has a link where browsers do not go by themselves', async () => {
    const one = await atConsent();
    const csrf = await one.page.locator('input[name=csrf]').first().inputValue();
    const answer = await one.context.request.post(one.page.url(), {
      form: { csrf, decision: 'deny' },
      headers: { origin: pages.suite.gatewayUrl },
    });
    expect(answer.status()).toBe(200);
    const html = await answer.text();
    const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html) ?? [];
    expect(url).toMatch(new RegExp(`^${pages.suite.gatewayUrl}/oauth2/authorize/[\\w-]+$`));
    expect(html).toContain(`<a class="button" href="${url}">Go on</a>`);
  });
});
