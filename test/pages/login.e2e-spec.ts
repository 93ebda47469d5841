import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest, sessionOf, signIn, type Visitor } from './pages-under-test.js';
import { installSolanaWallet } from './test-solana-wallet.js';

const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname;

describeInBrowser('signing in', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await pagesUnderTest();
  }, 60_000);

  afterAll(async () => {
    await pages.stop();
  });

  it('begins with a wallet that announces itself, and leads to where one wanted to go', async () => {
    const one = await pages.visitor();
    const { page, wallet } = one;
    await page.goto('/portal/connections');
    expect(pathOf(one)).toBe('/login');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/connections');
    expect(await page.locator('.account').getAttribute('title')).toBe(`eip155:31337:${wallet.address}`);
    const [message = ''] = wallet.messages;
    const { host, origin } = new URL(pages.suite.gatewayUrl);
    expect(message).toMatch(new RegExp(`^${host} wants you to sign in with your Ethereum account:\n`));
    expect(message).toContain(`\nURI: ${origin}/login\n`);
    expect(one.complaints).toEqual([]);
  });

  it('works with a wallet that is only window.ethereum, and with one for Solana', async () => {
    const old = await pages.visitor({ legacy: true });
    await old.page.goto('/login');
    await old.page.getByRole('button', { name: 'Wallet of this browser' }).click();
    await old.page.waitForURL('**/portal');

    const solana = await pages.visitor();
    const address = await installSolanaWallet(solana.context);
    await solana.page.goto('/login');
    await solana.page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await solana.page.waitForURL('**/portal');
    expect(await solana.page.locator('.account').getAttribute('title')).toContain(`:${address}`);
  });

  it('can be done with the keyboard alone', async () => {
    const one = await pages.visitor();
    await one.page.goto('/login');
    await one.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    for (let tabs = 0; tabs < 10; tabs += 1) {
      await one.page.keyboard.press('Tab');
      if ((await one.page.locator('button:focus').count()) > 0) break;
    }
    await one.page.keyboard.press('Enter');
    await one.page.waitForURL('**/portal');
  });

  it('says in plain words what went wrong, and lets one try again', async () => {
    const one = await pages.visitor();
    const status = one.page.getByRole('status');
    await one.page.goto('/login');
    one.wallet.behaviour = 'declines';
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.getByText('You declined in your wallet. Nothing was signed.').waitFor();

    one.wallet.behaviour = 'signs something else';
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.locator('#status[data-kind=failed]').waitFor();
    expect(await status.textContent()).not.toMatch(/declined|undefined|error/i);
    await one.page.goto('/portal');
    expect(pathOf(one)).toBe('/login');

    one.wallet.behaviour = 'signs';
    await signIn(one.page);
  });

  it('tells who has no wallet', async () => {
    const one = await pages.visitor({ none: true });
    await one.page.goto('/login');
    await one.page.getByText('No wallet was found in this browser.').waitFor();
  });

  it('leads to no other site', async () => {
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/portal/../\\evil.example',
      '/oauth2/authorize',
    ]) {
      const one = await pages.visitor();
      await one.page.goto(`/login?${new URLSearchParams({ to }).toString()}`);
      await one.page.getByRole('button', { name: 'Test Wallet' }).click();
      await one.page.waitForURL(`${pages.suite.gatewayUrl}/portal`);
      await one.context.close();
    }
  });

  it('gives the session a new id, so that whoever knew the old one knows nothing', async () => {
    const one = await pages.visitor();
    await one.page.goto('/login');
    const before = await sessionOf(one);
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    await one.page.waitForURL('**/portal');
    const after = await sessionOf(one);
    expect(before).toMatch(/^[\w-]{43}$/);
    expect(after).not.toBe(before);
    const asBefore = await fetch(`${pages.suite.gatewayUrl}/portal`, {
      headers: { cookie: `gatehouse_session=${String(before)}` },
      redirect: 'manual',
    });
    expect(asBefore.status).toBe(303);
  });

  it('ends with signing out, for every copy of the cookie', async () => {
    const one = await pages.member();
    const kept = await sessionOf(one);
    await one.page.getByRole('button', { name: 'Sign out' }).click();
    await one.page.waitForURL('**/login');
    const again = await fetch(`${pages.suite.gatewayUrl}/portal`, {
      headers: { cookie: `gatehouse_session=${String(kept)}` },
      redirect: 'manual',
    });
    expect(again.headers.get('location')).toBe('/login?to=%2Fportal');
  });

  it.each([
    ['nothing was done for long', 'seen_at = seen_at - interval %s'],
    ['it has lasted for a day', 'expires_at = now()'],
  ])('ends when %s', async (_, change) => {
    const one = await pages.member();
    await pages.inDatabase(`UPDATE identity.browser_sessions SET ${change.replace('%s', `'121 minutes'`)}`);
    await one.page.goto('/portal');
    expect(pathOf(one)).toBe('/login');
  });
});
