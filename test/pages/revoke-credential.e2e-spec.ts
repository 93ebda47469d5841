import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { createVisitorCredential } from './visitor-credential.js';

describeInBrowser('revoking a credential in the portal', () => {
  let pages: PagesUnderTest;
  let shop: WalletAtTheGateway;

  beforeAll(async () => {
    pages = await leasePages();
    shop = await WalletAtTheGateway.start(pages.suite);
  });

  afterAll(async () => {
    await pages.stop();
  });

  const credentialOf = (visitor: Visitor): Promise<string> =>
    createVisitorCredential(visitor, { shop, origin: pages.suite.gatewayUrl });

  async function paste(page: Page, text: string): Promise<void> {
    await page.getByLabel('Credential').fill(text);
    await page.getByRole('button', { name: 'Revoke credential' }).click();
  }

  const status = async (authorization: string) => (await shop.me({ authorization })).status;

  it('revoking a credential in the portal: revokes a pasted credential, with or without the header name', async () => {
    const visitor = await pages.member();
    const [first, second] = [await credentialOf(visitor), await credentialOf(visitor)];
    expect(await status(first)).toBe(200);
    const { page, complaints } = visitor;
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('link', { name: 'Revoke credential' }).click();
    await paste(page, `Authorization: ${first.slice(0, 100)}\n  ${first.slice(100)}\n`);
    await page.getByText('The credential has been revoked.').waitFor();
    await until('the credential is revoked', async () => (await status(first)) === 401);
    expect(await status(second)).toBe(200);
    await paste(page, second.slice('Ethereum '.length));
    await page.getByText('The credential has been revoked.').waitFor();
    await until('the credential is revoked', async () => (await status(second)) === 401);
    expect(complaints).toEqual([]);
  });

  it('revoking a credential in the portal: shows an error for an invalid credential or one of another user', async () => {
    const [owner, stranger] = [await pages.member(), await pages.member()];
    const credential = await credentialOf(owner);
    await stranger.page.goto('/portal/credentials');
    for (const text of [credential, 'what', credential.slice(0, -1)]) {
      await paste(stranger.page, text);
      await stranger.page.getByText('You have not signed this credential').waitFor();
      expect(await stranger.page.getByLabel('Credential').getAttribute('aria-invalid')).toBe('true');
    }
    expect(await status(credential)).toBe(200);
  });

  it('revoking a credential in the portal: requires a login', async () => {
    const { page } = await pages.visitor();
    await page.goto('/portal/credentials');
    await page.waitForURL('**/login?**');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/credentials');
  });
});
