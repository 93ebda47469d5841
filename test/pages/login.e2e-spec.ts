import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, sessionOf, signIn, type Visitor } from './pages-under-test.js';
import { installSolanaWallet } from './test-solana-wallet.js';

const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname;

describeInBrowser('the login page', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  it('login page: signs in with an announced wallet and returns to the requested page', async () => {
    const visitor = await pages.visitor();
    const { page, wallet } = visitor;
    await page.goto('/portal/connections');
    expect(pathOf(visitor)).toBe('/login');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/connections');
    expect(await page.locator('.account').getAttribute('title')).toBe(`eip155:31337:${wallet.address}`);
    const [message = ''] = wallet.messages;
    const { host, origin } = new URL(pages.suite.gatewayUrl);
    expect(message).toMatch(new RegExp(`^${host} wants you to sign in with your Ethereum account:\n`));
    expect(message).toContain(`\nURI: ${origin}/login\n`);
    expect(visitor.complaints).toEqual([]);
  });

  it('T354: login page: leads to Communities without a return address, also while communities cannot be looked up', async () => {
    const visitor = await pages.member();
    const { page } = visitor;
    expect(pathOf(visitor)).toBe('/portal/communities');
    // These pages run without token-gating.
    expect(await page.getByRole('alert').innerText()).toContain('cannot be looked up at the moment');
    expect((await page.reload())?.status()).toBe(503);
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.waitForURL('**/portal/profile');
    await page.getByRole('link', { name: 'Gatehouse' }).click();
    await page.waitForURL('**/portal/communities');
    await page.goto('/login?to=%2Fportal');
    expect(pathOf(visitor)).toBe('/portal');
    expect(visitor.complaints).toEqual([]);
  });

  it('login page: works with window.ethereum and with a Solana wallet', async () => {
    const old = await pages.visitor({ legacy: true });
    await old.page.goto('/login');
    await old.page.getByRole('button', { name: 'Browser wallet' }).click();
    await old.page.waitForURL('**/portal/communities');

    const solana = await pages.visitor();
    const address = await installSolanaWallet(solana.context);
    await solana.page.goto('/login');
    await solana.page.getByRole('button', { name: 'Solana Test Wallet' }).click();
    await solana.page.waitForURL('**/portal/communities');
    expect(await solana.page.locator('.account').getAttribute('title')).toContain(`:${address}`);
  });

  it('login page: works by keyboard', async () => {
    const visitor = await pages.visitor();
    await visitor.page.goto('/login');
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    for (let tabs = 0; tabs < 10; tabs += 1) {
      await visitor.page.keyboard.press('Tab');
      if ((await visitor.page.locator('button:focus').count()) > 0) break;
    }
    await visitor.page.keyboard.press('Enter');
    await visitor.page.waitForURL('**/portal/communities');
  });

  it('login page: shows errors and allows a retry', async () => {
    const visitor = await pages.visitor();
    const status = visitor.page.getByRole('status');
    await visitor.page.goto('/login');
    visitor.wallet.behaviour = 'declines';
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.getByText('You declined in your wallet. Nothing was signed.').waitFor();

    visitor.wallet.behaviour = 'signs something else';
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.locator('#status[data-kind=failed]').waitFor();
    expect(await status.textContent()).not.toMatch(/declined|undefined|error/i);
    await visitor.page.goto('/portal');
    expect(pathOf(visitor)).toBe('/login');

    visitor.wallet.behaviour = 'signs';
    await signIn(visitor.page);
  });

  it('T385: login page: is not locked by a wallet that never answers', async () => {
    const visitor = await pages.visitor();
    const { page, wallet } = visitor;
    await page.clock.install();
    await page.goto('/login');
    await page.clock.runFor(2_000);
    wallet.behaviour = 'never answers';
    const button = page.getByRole('button', { name: 'Test Wallet' });
    const another = page.getByRole('button', { name: 'Choose another wallet' });
    expect(await another.isVisible()).toBe(false);
    await button.click();
    await page.getByText('Read the message in Test Wallet').waitFor();
    await page.clock.runFor(11_000);
    await page.getByText('Test Wallet has not answered yet.').waitFor();
    await another.click();
    await page.getByText('You stopped waiting. Nothing was signed here.').waitFor();
    expect(await another.isVisible()).toBe(false);
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Test Wallet');
    await button.click();
    await page.getByText('Read the message in Test Wallet').waitFor();
    await page.clock.runFor(181_000);
    await page.getByText('Test Wallet did not answer within 3 minutes.').waitFor();
    wallet.behaviour = 'signs';
    await button.click();
    await page.waitForURL('**/portal/communities');
    expect(visitor.complaints).toEqual([]);
  });

  it('login page: says what a wallet is, and where to find one, if no wallet is found', async () => {
    const visitor = await pages.visitor({ none: true });
    await visitor.page.goto('/login');
    await visitor.page.getByText('No wallet was found in this browser.').waitFor();
    await visitor.page.getByText('A wallet is an application').waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Solana' }).getAttribute('href')).toMatch(/^https:/);
  });

  it('login page: does not redirect to other sites', async () => {
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/portal/../\\evil.example',
      '/oauth2/authorize',
    ]) {
      const visitor = await pages.visitor();
      await visitor.page.goto(`/login?${new URLSearchParams({ to }).toString()}`);
      await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
      await visitor.page.waitForURL(`${pages.suite.gatewayUrl}/portal/communities`);
      await visitor.context.close();
    }
  });

  it('login page: replaces the session id, which prevents session fixation', async () => {
    const visitor = await pages.visitor();
    await visitor.page.goto('/login');
    const before = await sessionOf(visitor);
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    await visitor.page.waitForURL('**/portal/communities');
    const after = await sessionOf(visitor);
    expect(before).toMatch(/^[\w-]{43}$/);
    expect(after).not.toBe(before);
    const asBefore = await fetch(`${pages.suite.gatewayUrl}/portal`, {
      headers: { cookie: `gatehouse_session=${String(before)}` },
      redirect: 'manual',
    });
    expect(asBefore.status).toBe(303);
  });

  it('login page: ends the session for every copy of the cookie at logout', async () => {
    const visitor = await pages.member();
    const cookie = await sessionOf(visitor);
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.waitForURL('**/login/signed-out');
    const again = await fetch(`${pages.suite.gatewayUrl}/portal`, {
      headers: { cookie: `gatehouse_session=${String(cookie)}` },
      redirect: 'manual',
    });
    expect(again.headers.get('location')).toBe('/login?to=%2Fportal');
  });

  it.each([
    ['it was idle too long', 'seen_at = seen_at - interval %s'],
    ['its lifetime is over', 'expires_at = now()'],
  ])('login page: ends the session when %s', async (_, change) => {
    const visitor = await pages.member();
    await pages.inDatabase(`UPDATE identity.browser_sessions SET ${change.replace('%s', `'121 minutes'`)}`);
    await visitor.page.goto('/portal');
    expect(pathOf(visitor)).toBe('/login');
  });
});
