import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest } from './pages-under-test.js';
import { installWallet } from './test-wallet.js';

const NEW = '/portal/applications/new';

describeInBrowser('a form that is kept until somebody has signed in', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await pagesUnderTest();
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
  });

  const keptIn = (page: Page): Promise<string> => page.evaluate('JSON.stringify(sessionStorage)');

  const fillIn = async (page: Page): Promise<void> => {
    await page.goto(NEW);
    await page.getByLabel('Name', { exact: true }).fill('Late shop');
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb');
  };

  const send = (page: Page) => page.getByRole('button', { name: 'Register' }).click();

  /** Filled in by somebody whose session ended meanwhile. */
  const atLogin = async (page: Page): Promise<void> => {
    await fillIn(page);
    await pages.inDatabase('UPDATE identity.browser_sessions SET expires_at = now()');
    await send(page);
    await page.waitForURL('**/login?*');
  };

  it('holds nothing but what was typed', async () => {
    const { page } = await pages.member();
    await page.goto(NEW);
    const csrf = await page.locator('form.card input[name=csrf]').inputValue();
    await atLogin(page);
    const kept = await keptIn(page);
    expect(kept).toContain('Late shop');
    expect(kept).not.toContain(csrf);
    expect(kept).not.toContain('csrf');
  });

  it('is not shown to another, and is gone when they have signed in', async () => {
    const { page, context } = await pages.member();
    await installWallet(context, { name: 'Second Wallet' });
    await atLogin(page);
    await page.getByRole('button', { name: 'Second Wallet' }).click();
    await page.waitForURL(`**${NEW}`);
    await page.waitForFunction('sessionStorage.length === 0');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect(await page.getByText('Nothing was sent yet').count()).toBe(0);
  });

  it('is gone when it was taken', async () => {
    const { page } = await pages.member();
    await fillIn(page);
    await send(page);
    await page.getByRole('heading', { name: 'Keep these now' }).waitFor();
    await page.waitForFunction('sessionStorage.length === 0');
  });

  it('is gone on every other page', async () => {
    const { page } = await pages.member();
    for (const path of ['/portal', '/portal/connections', '/portal/applications/nothing']) {
      await page.evaluate(`sessionStorage.setItem('form that was sent', '{}')`);
      await page.goto(path);
      await page.waitForFunction('sessionStorage.length === 0');
    }
  });

  it('is gone when its user signs out', async () => {
    const { page } = await pages.member();
    await fillIn(page);
    await page.route('**/portal/applications', (route) => route.fulfill({ status: 204 }));
    await send(page);
    await page.waitForFunction('sessionStorage.length === 1');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/login');
    expect(await keptIn(page)).toBe('{}');
  });
});
