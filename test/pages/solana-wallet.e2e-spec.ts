import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';
import { installSolanaWallet } from './test-solana-wallet.js';

describeInBrowser('a wallet of several chains', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  it('signs in with the first account that can sign for Solana', async () => {
    const { page, context, complaints } = await pages.visitor({ none: true });
    const address = await installSolanaWallet(context);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.waitForURL('**/portal');
    expect(await page.locator('.account').getAttribute('title')).toMatch(
      new RegExp(`^solana:.+:${address}$`),
    );
    expect(complaints).toEqual([]);
  });

  it('shows an error if no account can sign for Solana', async () => {
    const { page, context } = await pages.visitor({ none: true });
    await installSolanaWallet(context, false);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.getByText('Solana Test Wallet has no account for Solana.').waitFor();
    expect(await page.getByRole('button', { name: 'Solana Test Wallet' }).isEnabled()).toBe(true);
  });
});
