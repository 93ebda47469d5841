import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getAddress, parseEther } from 'viem';
import { describeInBrowser } from '../support/needs.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { leaseWholePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { clickAndSendAgain } from './send-again.js';
import { createVisitorCredential } from './visitor-credential.js';

describeInBrowser('asset claims in the portal', () => {
  let pages: PagesUnderTest;
  let shop: WalletAtTheGateway;

  beforeAll(async () => {
    pages = await leaseWholePages();
    shop = await WalletAtTheGateway.start(pages.suite);
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** Claims that the visitor has the chain's native coin. @returns the link of the claim */
  async function claim(visitor: Visitor): Promise<string> {
    const { chainId, client } = pages.chain;
    await client.setBalance({ address: getAddress(visitor.wallet.address), value: parseEther('1') });
    const origin = pages.suite.gatewayUrl;
    const authorization = await createVisitorCredential(visitor, { shop, origin, scopes: ['$public'] });
    const asked = { assets: [`eip155:${chainId}/slip44:60`] };
    const { status, body } = await shop.post('/asset-verification', { authorization }, asked);
    expect([status, body]).toEqual([200, expect.objectContaining({ url: expect.any(String) })]);
    return body.url ?? '';
  }

  it('asset claims in the portal: are revoked after a question, once however often it is answered, and their links say so', async () => {
    const visitor = await pages.member();
    const link = await claim(visitor);
    const { page, complaints } = visitor;
    const anyone = await pages.visitor();
    await anyone.page.goto(link);
    await anyone.page.getByRole('heading', { name: 'What this account holds' }).waitFor();

    await page.goto('/portal/claims');
    const revocation = page.getByRole('button', { name: /^Revoke claim of .* for 0x/ });
    expect(await revocation.isVisible()).toBe(false);
    await page.getByText('Revoke claim…', { exact: true }).click();
    await page.getByText('This cannot be undone').waitFor();
    expect(await clickAndSendAgain(revocation)).toBe(303);
    await page.getByText('No asset claims yet.').waitFor();
    await anyone.page.reload();
    await anyone.page.getByRole('heading', { name: 'This claim is not valid' }).waitFor();
    expect([...complaints, ...anyone.complaints]).toEqual([]);
  });
});
