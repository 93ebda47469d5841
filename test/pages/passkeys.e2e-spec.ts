import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { type PagesUnderTest, pagesUnderTest, type Visitor } from './pages-under-test.js';
import { VirtualAuthenticator, type VirtualCredential } from './virtual-authenticator.js';

/** A user with a passkey, in the session that added it. */
interface Owner extends Visitor {
  userId: string;
  authenticator: VirtualAuthenticator;
  credential: VirtualCredential;
}

interface GuestOptions {
  /** The passkeys of the browser. */
  credentials?: readonly VirtualCredential[];
  /** Whether the browser suggests passkeys, and an authenticator that confirms signs in without a click. */
  suggests?: boolean;
  verifiesUsers?: boolean;
  confirms?: boolean;
}

const NO_SUGGESTIONS = 'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)';

describeInBrowser('passkeys in a browser', () => {
  let pages: PagesUnderTest;
  let origin: string;

  beforeAll(async () => {
    pages = await pagesUnderTest({ loginHost: 'localhost' });
    origin = pages.suite.gatewayUrl.replace('127.0.0.1', 'localhost');
  });

  afterAll(async () => {
    await pages.stop();
  });

  const userIdOf = async (page: Page): Promise<string> =>
    (await page.locator('.account').getAttribute('data-user')) ?? '';

  const logInByWallet = async ({ page }: Visitor, to = '/portal'): Promise<void> => {
    await page.goto(`${origin}/login?again=yes&${new URLSearchParams({ to }).toString()}`);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL(/\/portal/);
  };

  const owner = async (): Promise<Owner> => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    await logInByWallet(visitor, '/portal/passkeys');
    const authenticator = await VirtualAuthenticator.install(page);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey', exact: true }).waitFor();
    const [credential] = await authenticator.credentials();
    if (!credential) throw new Error('The authenticator has no passkey');
    return { ...visitor, userId: await userIdOf(page), authenticator, credential };
  };

  /** A browser without a wallet, at the login page. */
  const guest = async ({ suggests = false, ...options }: GuestOptions) => {
    const visitor = await pages.visitor({ none: true });
    const { page } = visitor;
    if (!suggests) await page.addInitScript({ content: NO_SUGGESTIONS });
    const authenticator = await VirtualAuthenticator.install(page, options);
    await page.goto(`${origin}/login`);
    const choosePasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const problem = async (): Promise<string> => {
      await page.locator('#passkey-status[data-kind=failed]').waitFor();
      return page.locator('#passkey-status').innerText();
    };
    return { ...visitor, authenticator, choosePasskey, problem };
  };

  it('/portal/passkeys: adds a passkey that signs in, is renamed, and signs nobody in once it is removed', async () => {
    const user = await owner();
    const { page, credential } = user;
    const other = await guest({ credentials: [credential] });
    await other.choosePasskey();
    await other.page.waitForURL('**/portal');
    expect(await userIdOf(other.page)).toBe(user.userId);
    await other.page.getByText('If you did not add it, remove it.').waitFor();

    await page.getByText('Rename', { exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Büro <b>');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('heading', { name: 'Büro <b>', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove Büro <b>' }).click();
    await page.getByText('No passkeys yet.').waitFor();

    await other.page.goto(`${origin}/portal`);
    expect(new URL(other.page.url()).pathname).toBe('/login');
    await other.choosePasskey();
    expect(await other.problem()).toContain('could not be verified');
    expect([...user.complaints, ...other.complaints]).toEqual([]);
  });

  it('/login: signs in with a passkey that the browser suggests, also after the first challenge has ended', async () => {
    const { credential, userId } = await owner();
    const { page, authenticator, complaints } = await guest({
      credentials: [credential],
      suggests: true,
      confirms: false,
    });
    const hint = page.getByText('your browser suggests your passkeys');
    await hint.waitFor();
    await page.waitForLoadState('networkidle');
    await page.clock.install();
    const challengeAfter = async (act: () => Promise<unknown>): Promise<string> => {
      const [answer] = await Promise.all([page.waitForResponse('**/login/passkey-options'), act()]);
      return ((await answer.json()) as { challenge: string }).challenge;
    };
    const first = await challengeAfter(() => page.reload());
    await hint.waitFor();
    // In steps, because the script begins to measure the age of the challenge a moment after the answer.
    const passFourMinutes = async () => {
      for (let step = 0; step < 25; step += 1) await page.clock.runFor(10_000);
    };
    expect(await challengeAfter(passFourMinutes)).not.toBe(first);
    await authenticator.confirm();
    await passFourMinutes();
    await page.waitForURL('**/portal');
    expect(await userIdOf(page)).toBe(userId);
    expect(complaints).toEqual([]);
  });

  it('/login: a wallet login shows a passkey that was added since the last one, and removes all of them on request', async () => {
    const user = await owner();
    const { page, credential } = user;
    const thief = await guest({ credentials: [credential] });
    await thief.choosePasskey();
    await thief.page.waitForURL('**/portal');
    await logInByWallet(user, '/portal/profile');
    await page.getByRole('heading', { name: 'Are these passkeys yours?' }).waitFor();
    await page.getByRole('button', { name: 'Keep this passkey' }).click();
    await page.waitForURL('**/portal/profile');
    await logInByWallet(user, '/portal/profile');
    await page.waitForURL('**/portal/profile');

    await page.goto(`${origin}/portal/passkeys`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device has one of your passkeys already.').waitFor();
    const second = await VirtualAuthenticator.install(page, { transport: 'usb' });
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey', exact: true }).nth(1).waitFor();
    expect(await second.credentials()).toHaveLength(1);
    await logInByWallet(user);
    await page.getByRole('button', { name: 'Remove all passkeys and end other sessions' }).click();
    await page.waitForURL('**/portal');
    await thief.page.goto(`${origin}/portal`);
    expect(new URL(thief.page.url()).pathname).toBe('/login');
    await page.goto(`${origin}/portal/passkeys`);
    await page.getByText('No passkeys yet.').waitFor();
    expect(user.complaints).toEqual([]);
  });
});
