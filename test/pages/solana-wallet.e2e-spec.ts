import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';
import { installSolanaWallet, LEDGER_WALLETS } from './test-solana-wallet.js';

const LEDGERS = Object.keys(LEDGER_WALLETS) as (keyof typeof LEDGER_WALLETS)[];

describeInBrowser('a wallet of several chains', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  it('wallet of several chains: signs in with the first account that can sign for Solana', async () => {
    const { page, context, complaints } = await pages.visitor({ none: true });
    const address = await installSolanaWallet(context);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    expect(await page.locator('.account').getAttribute('title')).toMatch(
      new RegExp(`^solana:.+:${address}$`),
    );
    expect(complaints).toEqual([]);
  });

  it.each(LEDGERS)('T251: login page: signs in with a Ledger whose wallet %s', async (kind) => {
    const { page, context, complaints } = await pages.visitor({ none: true });
    await installSolanaWallet(context, true, LEDGER_WALLETS[kind]);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    expect(complaints).toEqual([]);
  });

  it('T251: login page: refuses a wallet that signed another text in the envelope', async () => {
    const { page, context } = await pages.visitor({ none: true });
    const wrap = LEDGER_WALLETS['says what it signed'];
    await installSolanaWallet(context, true, (text) => wrap(Buffer.concat([text, Buffer.from('!')])));
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.locator('#status[data-kind="failed"]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/login');
  });

  it('wallet of several chains: shows an error if no account can sign for Solana', async () => {
    const { page, context } = await pages.visitor({ none: true });
    await installSolanaWallet(context, false);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.getByText('Solana Test Wallet has no account for Solana.').waitFor();
    expect(await page.getByRole('button', { name: 'Solana Test Wallet' }).isEnabled()).toBe(true);
  });
});
