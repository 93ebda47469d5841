import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { installWallet } from './test-wallet.js';

describeInBrowser('the wallets of a user', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const userOf = (page: Page) => page.locator('header .account').getAttribute('data-user');

  const countWallets = ({ page }: Visitor) => page.locator('.items > li').count();

  /** Links a second wallet to the signed-in user of the page. */
  const linkSecond = async ({ page }: Visitor) => {
    await page.goto('/portal/wallets');
    await page.getByRole('button', { name: 'Second Wallet' }).click();
    await page.locator('.items > li:nth-child(2)').waitFor();
  };

  it('own wallets: are linked by a signature in the page, and unlinked after a question that names what it hits', async () => {
    const visitor = await pages.member();
    const { page, context, complaints } = visitor;
    const second = await installWallet(context, { name: 'Second Wallet' });
    await page.goto('/portal');
    await page.getByRole('link', { name: 'Wallets' }).click();
    expect(await countWallets(visitor)).toBe(1);
    await page.getByText('you signed in with it').waitFor();
    await linkSecond(visitor);
    const { host } = new URL(pages.suite.gatewayUrl);
    expect(second.messages[0]).toMatch(
      new RegExp(`^${host} wants you to sign in with your Ethereum account:\n`),
    );
    expect(second.messages[0]).toContain(`Link this wallet to the account ${String(await userOf(page))}.`);
    const item = page.locator('.items > li:nth-child(2)');
    await item.getByText('Unlink…').click();
    await item.getByText('no longer counts as yours').waitFor();
    await item.getByRole('button', { name: /^Unlink wallet 0x/ }).click();
    await page.locator('.items > li:nth-child(2)').waitFor({ state: 'detached' });
    expect(await countWallets(visitor)).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('T384: own wallets: an unlinked wallet that is unlinked again, by a second click or in another tab, is no error', async () => {
    const visitor = await pages.member();
    const { page, context } = visitor;
    await installWallet(context, { name: 'Second Wallet' });
    await linkSecond(visitor);
    const tab = await context.newPage();
    await tab.goto('/portal/wallets');
    for (const one of [page, tab]) {
      const item = one.locator('.items > li:nth-child(2)');
      await item.getByText('Unlink…').click();
      await item.getByRole('button', { name: /^Unlink wallet 0x/ }).dblclick();
      await one.getByRole('heading', { name: 'Your wallets' }).waitFor();
      await one.locator('.items > li:nth-child(2)').waitFor({ state: 'detached' });
    }
    expect(await countWallets(visitor)).toBe(1);
  });

  it('own wallets: stay as they are after a signature that was declined or belongs to another wallet', async () => {
    const visitor = await pages.member();
    const { page, context } = visitor;
    const second = await installWallet(context, { name: 'Second Wallet' });
    await page.goto('/portal/wallets');
    second.behaviour = 'declines';
    await page.getByRole('button', { name: 'Second Wallet' }).click();
    await page.getByText('You declined in your wallet.').waitFor();
    second.behaviour = 'signs something else';
    await page.getByRole('button', { name: 'Second Wallet' }).click();
    await page.locator('#status[data-kind=failed]').waitFor();
    await page.reload();
    expect(await countWallets(visitor)).toBe(1);
  });

  it('T383: wallet that another account linked: is taken back by a signature of the wallet, on the page that says so', async () => {
    const thief = await pages.member();
    const stolen = await installWallet(thief.context, { name: 'Second Wallet' });
    await linkSecond(thief);
    const owner = await pages.visitor({ none: true });
    await installWallet(owner.context, { name: 'Own Wallet', privateKey: stolen.privateKey });
    const other = await installWallet(owner.context, { name: 'Other Wallet' });
    const { page, complaints } = owner;
    await page.goto('/login');
    await page.getByRole('button', { name: 'Own Wallet' }).click();
    await page.getByText('Another account linked your wallet').waitFor();
    await page.getByRole('link', { name: 'This was not me' }).click();
    await page.getByRole('button', { name: 'Other Wallet' }).click();
    await page.getByText(/^Select the account 0x.* in Other Wallet, and try again\.$/).waitFor();
    expect(other.messages).toEqual([]);
    await page.getByRole('button', { name: 'Own Wallet' }).click();
    await page.waitForURL('**/portal/wallets');
    expect(await page.getByText('also linked by another account').count()).toBe(0);
    await page.goto('/portal');
    expect(await page.getByText('Another account linked your wallet').count()).toBe(0);
    await thief.page.reload();
    expect(await countWallets(thief)).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('T384: own wallets: are not changed by another user, by a session without a user, or with a passkey alone', async () => {
    const owner = await pages.member();
    const stranger = await pages.member();
    await owner.page.goto('/portal/wallets');
    const path = (await owner.page.locator('.items form').getAttribute('action')) ?? '';
    const csrf = await stranger.page.locator('input[name=csrf]').first().inputValue();
    const answer = await stranger.page.evaluate<number>(
      `fetch('${path}', { method: 'POST', body: new URLSearchParams({ csrf: '${csrf}' }) }).then(({ status }) => status)`,
    );
    expect(answer).toBe(404);
    await owner.page.reload();
    expect(await countWallets(owner)).toBe(1);
    const challenge = (page: Page, token: string) =>
      page.evaluate<number>(
        `fetch('/portal/wallets/challenges', {
           method: 'POST', headers: { 'content-type': 'application/json' },
           body: JSON.stringify({ csrf: '${token}', accountId: 'eip155:1:${owner.wallet.address}', endsOtherLinks: true }),
         }).then(({ status }) => status)`,
      );
    expect(await challenge(stranger.page, 'wrong')).toBe(403);
    expect(await challenge(stranger.page, csrf)).toBe(200);
    await pages.inDatabase(
      `UPDATE identity.browser_sessions SET amr = '{pop,user}' WHERE user_id = '${String(await userOf(stranger.page))}'`,
    );
    expect(await challenge(stranger.page, csrf)).toBe(403);
    await stranger.page.goto('/portal/wallets');
    await stranger.page.getByRole('link', { name: 'Sign in with your wallet to link another' }).waitFor();
    await pages.inDatabase(
      `UPDATE identity.browser_sessions SET expires_at = now() WHERE user_id = '${String(await userOf(stranger.page))}'`,
    );
    expect(await challenge(stranger.page, csrf)).toBe(401);
    await owner.page.reload();
    expect(await countWallets(owner)).toBe(1);
  });
});
