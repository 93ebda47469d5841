import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';

describeInBrowser('the login page', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  it('login page: shows its progress while scripts load and finds wallets that were announced before', async () => {
    const { page } = await pages.visitor();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/*.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto('/login', { waitUntil: 'commit' });
    await page.getByText('Looking for wallets').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    release();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
  });

  it('login page: accepts a wallet that is announced after the timeout', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.goto('/login');
    await page.getByText('No wallet was found').waitFor();
    await page.evaluate(`window.dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: { info: { uuid: 'late', name: 'Late Wallet' }, provider: { request: async () => [] } },
    }))`);
    await page.getByRole('button', { name: 'Late Wallet' }).click();
    await page.getByText('Late Wallet has no account for Ethereum.').waitFor();
    expect(await page.getByText('No wallet was found').count()).toBe(0);
  });

  it('login page: keeps the keyboard focus when a wallet declines', async () => {
    const { page, wallet } = await pages.visitor();
    await page.goto('/login');
    wallet.behaviour = 'declines';
    const button = page.getByRole('button', { name: 'Test Wallet' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('You declined in your wallet.').waitFor();
    wallet.behaviour = 'signs';
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/communities');
  });
});
