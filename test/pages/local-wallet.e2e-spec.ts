import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { LocalChain } from '../support/local-chain.js';
import type { Client } from '../support/create-client.js';
import { describeInBrowser } from '../support/needs.js';
import { pagesUnderTest, type PagesUnderTest, sessionOf } from './pages-under-test.js';

const STRANGER = `0x${'1'.repeat(40)}`;

/** An account whose key every anvil has. */
const HOLDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const BUYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const BADGE = 42;

/** The holder has a badge and the buyer no coins. The chain does not have the key of the outsider. */
async function walletOn(chain: LocalChain): Promise<string> {
  const { rpcUrl, chainId } = chain;
  const collection = await chain.deploy('DemoERC721', ['Badge', 'B']);
  await chain.mint(collection, HOLDER, BigInt(BADGE));
  await chain.setNativeBalance(BUYER, 0n);
  return JSON.stringify({
    rpcUrl,
    chainId,
    accounts: { holder: HOLDER, outsider: STRANGER, buyer: BUYER },
    badges: { contractAddress: collection.address, tokenIds: [BADGE] },
  });
}

describeInBrowser('the test wallet of the local profile', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await pagesUnderTest({
      env: async (chain) => ({
        TEST_WALLET: await walletOn(chain),
        OPERATOR_ACCOUNTS: `eip155:31337:${HOLDER}`,
      }),
    });
  });

  afterAll(async () => {
    await pages.stop();
  });

  it('test wallet of the local profile: signs in a user without a wallet, and the holder is an operator', async () => {
    const { page, complaints } = await pages.visitor({ none: true });
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Test wallet (local): holder' }).click();
    await page.waitForURL('**/portal');
    expect(await page.locator('.account').getAttribute('title')).toBe(`eip155:31337:${HOLDER}`);
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByText('No applications waiting for approval.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('test wallet of the local profile: signs in to the API explorer through its OAuth window', async () => {
    const { context, page, complaints } = await pages.visitor({ none: true });
    const output = await pages.suite.clientCommand([
      ...['create', '--name', 'Explorer', '--plan', 'free', '--scopes', 'user:read', '--json'],
      ...['--redirect-uris', `${pages.suite.gatewayUrl}/explorer/oauth2-redirect.html`],
    ]);
    const line = output.split('\n').find((text) => text.startsWith('{')) ?? '';
    const { clientId, clientSecret } = JSON.parse(line) as Client;
    await page.goto('/explorer');
    await page.locator('.auth-wrapper .authorize').click();
    await page.locator('#client_id_authorizationCode').fill(clientId);
    await page.locator('#client_secret_authorizationCode').fill(clientSecret);
    await page.locator('label[for^="user:read-authorizationCode"]').first().click();
    const form = page.locator('.auth-container', { has: page.locator('#client_id_authorizationCode') });
    const opened = context.waitForEvent('page');
    await form.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    const popup = await opened;
    await popup.getByRole('button', { name: 'Test wallet (local): holder' }).click();
    await popup.getByRole('button', { name: 'Allow access' }).click();
    await page.getByRole('button', { name: 'Remove authorization' }).first().waitFor();
    // The token and the client secret end with the page.
    expect(await page.evaluate('Object.values(localStorage)')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('test wallet of the local profile: appears beside the wallets of the browser and lists only accounts that the chain can sign for', async () => {
    const { page } = await pages.visitor();
    await page.goto('/login');
    await page.getByRole('button', { name: 'Test wallet (local): holder' }).waitFor();
    await page.getByRole('button', { name: 'Test Wallet', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /outsider/ }).count()).toBe(0);
  });

  it('test wallet of the local profile: sells a badge to another account and back, also for an account without coins', async () => {
    const { page, complaints } = await pages.visitor({ none: true });
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Test wallet (local): holder' }).click();
    await page.waitForURL('**/portal');
    await page.getByRole('link', { name: 'Test wallet' }).click();
    await page.getByText('held by you, the holder').waitFor();
    await page.getByRole('button', { name: `Sell to the buyer: badge ${BADGE}` }).dblclick();
    await page.getByText('Sold to the buyer.').waitFor();
    await page.getByText('held by buyer').waitFor();
    await page.getByRole('link', { name: 'Buy it back' }).click();
    await page.getByRole('button', { name: `Buy: badge ${BADGE}` }).click();
    await page.getByText('held by you, the holder').waitFor();
    expect(complaints).toEqual([]);
  });

  it('T369: page of the test wallet: says that communities cannot be looked up while token-gating is away, rather than that there are none', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.goto('/portal/test-wallet');
    await page.getByRole('button', { name: 'Test wallet (local): holder' }).click();
    await page.getByText('Your communities cannot be looked up at the moment.').waitFor();
    await page
      .getByRole('button', { name: /badge 42$/ })
      .first()
      .waitFor();
    expect(await page.getByText('create one of your own').count()).toBe(0);
  });

  it('test wallet of the local profile: signs for pages of ours alone, and with its own accounts alone', async () => {
    const visitor = await pages.visitor({ none: true });
    await visitor.page.goto('/login');
    const csrf = await visitor.page.locator('#login').getAttribute('data-csrf');
    const message = '0x68656c6c6f';
    const own = { origin: pages.suite.gatewayUrl };
    const post = async (headers: Record<string, string>, body: object) => {
      const cookie = `gatehouse_session=${(await sessionOf(visitor)) ?? ''}`;
      const response = await fetch(`${pages.suite.gatewayUrl}/login/test-wallet/signatures`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return response.status;
    };
    expect(await post(own, { csrf, address: HOLDER, message })).toBe(200);
    expect(await post({}, { csrf, address: HOLDER, message })).toBe(403);
    expect(await post({ origin: 'https://evil.example' }, { csrf, address: HOLDER, message })).toBe(403);
    expect(await post(own, { address: HOLDER, message })).toBe(403);
    expect(await post(own, { csrf, address: STRANGER, message })).toBe(502);
    expect(await post(own, { csrf, address: `0x${'2'.repeat(40)}`, message })).toBe(404);
    expect(await post(own, { csrf, address: HOLDER, message: 'hello' })).toBe(400);
  });
});
