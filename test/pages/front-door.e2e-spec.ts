import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, signIn } from './pages-under-test.js';

describeInBrowser('the front door', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const ask = (path: string, accept: string) =>
    fetch(pages.suite.gatewayUrl + path, { headers: { accept }, redirect: 'manual' });

  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

  /** Whether the logo of the page was loaded. */
  const hasLogo = (page: Page) =>
    page.evaluate<boolean>("document.querySelector('header img.logo').naturalWidth > 0");

  it('T380: front door: tells a browser what this is and leads to the login, and tells a program that there is nothing', async () => {
    const { page, complaints } = await pages.visitor();
    await page.goto('/');
    expect(await heading(page)).toBe('Roles for what people hold');
    expect(await hasLogo(page)).toBe(true);
    for (const name of ['API explorer', 'API document', 'Your communities'])
      expect(await page.getByRole('link', { name }).count()).toBe(1);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    await page.goto('/');
    await page.getByRole('link', { name: 'Open the portal' }).click();
    await page.waitForURL('**/portal/communities');
    expect(complaints).toEqual([]);
    for (const accept of ['*/*', 'application/json']) {
      const response = await ask('/', accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
      expect(await response.json()).toMatchObject({ error: { details: { code: 'path_not_found' } } });
    }
  });

  it.each(['/nothing', '/portal/nothing', '/communities/x/nothing', '/login/'])(
    'T380: unknown path %s: is a page for browsers that leads on, and an error envelope for programs',
    async (path) => {
      const { page, complaints } = await pages.visitor();
      const response = await page.goto(path);
      expect(response?.status()).toBeGreaterThanOrEqual(400);
      expect(response?.status()).toBeLessThan(500);
      await page
        .getByRole('link', { name: /start page/i })
        .first()
        .click();
      await page.getByRole('link', { name: 'API explorer' }).waitFor();
      expect(complaints).toEqual([]);
      if (!path.startsWith('/portal')) expect(await (await ask(path, '*/*')).json()).toHaveProperty('error');
    },
  );

  it('T381: pages at another name of this machine: lead to the login host, which alone has the session', async () => {
    const { page } = await pages.visitor();
    const other = pages.suite.gatewayUrl.replace('127.0.0.1', 'localhost');
    for (const path of ['/', '/login', '/portal/profile?x=1']) {
      await page.goto(other + path);
      expect(new URL(page.url()).origin).toBe(pages.suite.gatewayUrl);
    }
    const head = await fetch(`${other}/login`, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.get('location')]).toEqual([303, `${pages.suite.gatewayUrl}/login`]);
  });

  it('sign-in request that cannot be answered: is a page in the frame of the product', async () => {
    const { page, complaints } = await pages.visitor();
    await page.goto(
      '/oauth2/authorize?response_type=code&client_id=client_of_nobody&redirect_uri=https%3A%2F%2Fa.example%2F',
    );
    expect(await heading(page)).toBe('Sign-in failed');
    expect(await page.locator('header svg').count()).toBe(1);
    await page.getByRole('link', { name: 'What is this service?' }).click();
    expect(await heading(page)).toBe('Roles for what people hold');
    expect(complaints).toEqual([]);
  });

  it('T382: signing out: shows that it is done, also in a tab whose session another tab has ended', async () => {
    const { page, context } = await pages.member();
    const other = await context.newPage();
    await other.goto('/portal');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/login/signed-out');
    expect(await heading(page)).toBe('You are signed out');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/login/signed-out');
    await other.getByRole('link', { name: 'Sign in again' }).click();
    await signIn(other);
    await other.goto('/login/signed-out');
    expect(new URL(other.url()).pathname).toBe('/portal/communities');
  });

  it('portal: says what a person can do when a page is missing or belongs to operators', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/applications/client_of_nobody');
    expect(await heading(page)).toBe('Page not found');
    await page.getByRole('link', { name: 'Go to the portal' }).click();
    await page.waitForURL('**/portal/communities');
    await page.goto('/portal/approvals');
    expect(await heading(page)).toBe('Access denied');
    await page.getByRole('link', { name: 'Sign in with another wallet' }).click();
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    expect(page.url()).toContain('/login?to=%2Fportal%2Fapprovals&again=yes');
  });
});
