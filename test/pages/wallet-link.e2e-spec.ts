import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { ChatUser } from './chat-user.js';
import { leaseWholePages, type PagesUnderTest } from './pages-under-test.js';
import { installSolanaWallet, LEDGER_WALLETS } from './test-solana-wallet.js';

const LEDGERS = Object.keys(LEDGER_WALLETS) as (keyof typeof LEDGER_WALLETS)[];

describeInBrowser('the page on which a chat user links a wallet', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  }, 120_000);

  afterAll(async () => {
    await pages.stop();
  });

  const LINKED = 'The wallet is linked.';
  const GONE = 'This link has expired, was used, or belongs to an application that has left the community.';

  /** Opens a page of a chat user and chooses the wallet of the visitor. */
  const sign = async (
    user: ChatUser,
    { page }: Awaited<ReturnType<PagesUnderTest['visitor']>>,
    remove = false,
  ) => {
    const path = await user.newPage();
    await page.goto(path);
    if (remove) await page.getByLabel('Remove a linked wallet').check();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    return path;
  };

  it('T57: page on which a chat user links a wallet: shows who asks for what, links the wallet that signs, and removes it', async () => {
    const user = await ChatUser.create(pages, '<b>ann</b>');
    const visitor = await pages.visitor();
    const { page, wallet, complaints } = visitor;
    const path = await user.newPage();
    await page.goto(path);
    for (const text of [`${user.platformUserId} (<b>ann</b>)`, `Apes (${user.communityId})`, user.clientId])
      await page.getByText(text).first().waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText(LINKED).waitFor();
    expect(await user.countWallets()).toBe(1);
    expect(wallet.messages[0]).toContain('asks you to link a wallet to a user of chat.');
    expect(wallet.messages[0]).toContain(`User: ${user.platformUserId}\nName: <b>ann</b>\nCommunity: Apes`);
    await page.goto(path);
    await page.getByText(GONE).waitFor();

    await sign(user, visitor, true);
    await page.getByText('The wallet is removed.').waitFor();
    expect(wallet.messages[1]).toContain('asks you to remove a wallet from a user of chat.');
    expect(await user.countWallets()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('T386: wallet link page: ends with the roles that the wallet gives, and the way back', async () => {
    const user = await ChatUser.create(pages);
    const visitor = await pages.visitor();
    const { page, wallet, complaints } = visitor;
    await sign(user, visitor);
    await page.getByText('What your wallets hold gives you no role in Apes yet.').waitFor();
    await page.getByText('Go back to Apes on chat.').waitFor();
    await user.giveRoleTo(wallet.address, '<b>Whale</b>');
    await sign(user, visitor);
    await page.getByText('You have this role in Apes now:').waitFor();
    expect(await page.locator('#wallet-link li').innerText()).toBe('<b>Whale</b>');
    // The page of another site leads to the link.
    await page.route('http://chat.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<a id="link">link</a>' }),
    );
    await page.goto('http://chat.example/room');
    const url = pages.suite.gatewayUrl + (await user.newPage());
    await page.evaluate(`document.querySelector('#link').href = '${url}'`);
    await page.locator('#link').click();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    const back = page.getByRole('link', { name: 'Go back to chat.example' });
    expect(await back.getAttribute('href')).toBe('http://chat.example/');
    expect(complaints).toEqual([]);
  });

  it('T386: wallet link page: links the wallet also while roles cannot be looked up', async () => {
    const user = await ChatUser.create(pages);
    const visitor = await pages.visitor();
    await user.giveRoleTo(visitor.wallet.address, 'Whale', 'FROM_THE_FUTURE');
    await sign(user, visitor);
    await visitor.page.getByText(LINKED).waitFor();
    await visitor.page.getByText('Your roles in Apes are being looked at.').waitFor();
  });

  it.each(LEDGERS)('T251: wallet link page: links and removes a Ledger whose wallet %s', async (kind) => {
    const user = await ChatUser.create(pages);
    const { page, context, complaints } = await pages.visitor({ none: true });
    await installSolanaWallet(context, true, LEDGER_WALLETS[kind]);
    await page.goto(await user.newPage());
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.getByText(LINKED).waitFor();
    expect(await user.countWallets()).toBe(1);
    await page.goto(await user.newPage());
    await page.getByLabel('Remove a linked wallet').check();
    await page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await page.getByText('The wallet is removed.').waitFor();
    expect(await user.countWallets()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('T57: page on which a chat user links a wallet: shows and removes no wallet of the user when another person opens it', async () => {
    const user = await ChatUser.create(pages);
    const owner = await pages.visitor();
    await sign(user, owner);
    await owner.page.getByText(LINKED).waitFor();

    const { page } = await pages.visitor();
    const path = await user.newPage();
    await page.goto(path);
    expect((await page.content()).toLowerCase()).not.toContain(owner.wallet.address.toLowerCase());
    await page.getByLabel('Remove a linked wallet').check();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('This wallet is not linked to the user in this community.').waitFor();
    expect(await user.countWallets()).toBe(1);
    await page.goto(path);
    await page.getByText(GONE).waitFor();
  });

  it('wallet link page: links no wallet in a suspended community, and still removes one', async () => {
    const user = await ChatUser.create(pages);
    const visitor = await pages.visitor();
    const { page } = visitor;
    await sign(user, visitor);
    await page.getByText(LINKED).waitFor();
    const [linkPath, removalPath] = [await user.newPage(), await user.newPage()];
    await pages.inDatabase(
      `UPDATE token_gating.communities SET suspended_at = now(), suspension_reason = 'It imitates another'
       WHERE id = '${user.communityId}'`,
    );
    await page.goto(linkPath);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText(GONE).waitFor();
    expect(await user.countWallets()).toBe(1);
    await page.goto(removalPath);
    await page.getByLabel('Remove a linked wallet').check();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('The wallet is removed.').waitFor();
    expect(await user.countWallets()).toBe(0);
  });

  it('page on which a chat user links a wallet: links nothing with the signature of another wallet, of another text, or without one', async () => {
    const user = await ChatUser.create(pages);
    const { page, wallet } = await pages.visitor();
    wallet.behaviour = 'declines';
    await page.goto(await user.newPage());
    const button = page.getByRole('button', { name: 'Test Wallet' });
    await button.click();
    await page.getByText('You declined in your wallet').waitFor();
    wallet.behaviour = 'signs something else';
    await button.click();
    await page.getByText('The signature does not belong to this wallet.').waitFor();
    expect(await user.countWallets()).toBe(0);
  });

  it('T57: page on which a chat user links a wallet: ends when the application is detached', async () => {
    const user = await ChatUser.create(pages);
    const { page } = await pages.visitor();
    const path = await user.newPage();
    await page.goto(path);
    await pages.inDatabase(`DELETE FROM token_gating.community_clients WHERE client_id = '${user.clientId}'`);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText(GONE).waitFor();
    expect((await page.goto(path))?.status()).toBe(404);
  });
});
