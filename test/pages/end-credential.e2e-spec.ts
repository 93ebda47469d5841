import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';

describeInBrowser('ending a credential in the portal', () => {
  let pages: PagesUnderTest;
  let shop: WalletAtTheGateway;

  beforeAll(async () => {
    pages = await pagesUnderTest();
    shop = await WalletAtTheGateway.start(pages.suite);
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
  });

  /** What stands in `Authorization` when the visitor's wallet has signed a credential for the shop. */
  async function credentialOf({ wallet }: Visitor): Promise<string> {
    const resources = [`${pages.suite.gatewayUrl}/#credential`];
    const { message } = await shop.challenge({ accountId: wallet.address, resources });
    return `Ethereum ${Buffer.from(message).toString('base64url')}.${await wallet.sign(message)}`;
  }

  async function paste(page: Page, text: string): Promise<void> {
    await page.getByLabel('Credential').fill(text);
    await page.getByRole('button', { name: 'End it' }).click();
  }

  const status = async (authorization: string) => (await shop.me({ authorization })).status;

  it('ends what was pasted, however it was copied', async () => {
    const visitor = await pages.member();
    const [first, second] = [await credentialOf(visitor), await credentialOf(visitor)];
    expect(await status(first)).toBe(200);
    const { page, complaints } = visitor;
    await page.getByRole('link', { name: 'Connected' }).click();
    await page.getByRole('link', { name: 'End it' }).click();
    await paste(page, `Authorization: ${first.slice(0, 100)}\n  ${first.slice(100)}\n`);
    await page.getByText('It has ended.').waitFor();
    await until('it is dead', async () => (await status(first)) === 401);
    expect(await status(second)).toBe(200);
    await paste(page, second.slice('Ethereum '.length));
    await page.getByText('It has ended.').waitFor();
    await until('it is dead', async () => (await status(second)) === 401);
    expect(complaints).toEqual([]);
  });

  it('says so when there is nothing to end', async () => {
    const [owner, stranger] = [await pages.member(), await pages.member()];
    const credential = await credentialOf(owner);
    await stranger.page.goto('/portal/credentials');
    for (const text of [credential, 'what', credential.slice(0, -1)]) {
      await paste(stranger.page, text);
      await stranger.page.getByText('This is no credential that you signed').waitFor();
      expect(await stranger.page.getByLabel('Credential').getAttribute('aria-invalid')).toBe('true');
    }
    expect(await status(credential)).toBe(200);
  });

  it('is for whoever is signed in', async () => {
    const { page } = await pages.visitor();
    await page.goto('/portal/credentials');
    await page.waitForURL('**/login?**');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/credentials');
  });
});
