import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';
import { installWallet } from './test-wallet.js';

const NEW = '/portal/applications/new';

describeInBrowser('a form saved until its user has signed in again', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const savedIn = (page: Page): Promise<string> => page.evaluate('JSON.stringify(sessionStorage)');

  const fillIn = async (page: Page): Promise<void> => {
    await page.goto(NEW);
    await page.getByLabel('Name', { exact: true }).fill('Late shop');
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb');
  };

  const send = (page: Page) => page.getByRole('button', { name: 'Register application' }).click();

  /** Submits the form after the session has expired. */
  const atLogin = async (page: Page): Promise<void> => {
    await fillIn(page);
    await pages.inDatabase('UPDATE identity.browser_sessions SET expires_at = now()');
    await send(page);
    await page.waitForURL('**/login?*');
  };

  it('form saved until its user has signed in again: contains only the user’s input', async () => {
    const { page } = await pages.member();
    await page.goto(NEW);
    const csrf = await page.locator('form.card input[name=csrf]').inputValue();
    await atLogin(page);
    const saved = await savedIn(page);
    expect(saved).toContain('Late shop');
    expect(saved).not.toContain(csrf);
    expect(saved).not.toContain('csrf');
  });

  it('form saved until its user has signed in again: is not shown to another user and is deleted after their login', async () => {
    const { page, context } = await pages.member();
    await installWallet(context, { name: 'Second Wallet' });
    await atLogin(page);
    await page.getByRole('button', { name: 'Second Wallet' }).click();
    await page.waitForURL(`**${NEW}`);
    await page.waitForFunction('sessionStorage.length === 0');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect(await page.getByText('Your changes are not saved yet').count()).toBe(0);
  });

  it('form saved until its user has signed in again: is deleted after a successful submission', async () => {
    const { page } = await pages.member();
    await fillIn(page);
    await send(page);
    await page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
    await page.waitForFunction('sessionStorage.length === 0');
  });

  it('form saved until its user has signed in again: is deleted on every other page', async () => {
    const { page } = await pages.member();
    for (const path of ['/portal', '/portal/connections', '/portal/applications/nothing']) {
      await page.evaluate(`sessionStorage.setItem('gatehouse.saved-form', '{}')`);
      await page.goto(path);
      await page.waitForFunction('sessionStorage.length === 0');
    }
  });

  it('form saved until its user has signed in again: is deleted at logout', async () => {
    const { page } = await pages.member();
    await fillIn(page);
    await page.route('**/portal/applications', (route) => route.fulfill({ status: 204 }));
    await send(page);
    await page.waitForFunction('sessionStorage.length === 1');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/login/signed-out');
    expect(await savedIn(page)).toBe('{}');
  });

  it('T382: form saved until its user has signed in again: is kept when another tab signs out', async () => {
    const { page, context } = await pages.member();
    await fillIn(page);
    const other = await context.newPage();
    await other.goto('/portal');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/login/signed-out');
    await send(page);
    await page.waitForURL('**/login?*');
    await page.getByText('You were signed out in the meantime').waitFor();
    await page.getByText('What you typed is kept').waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL(`**${NEW}`);
    await page.getByText('Your changes are not saved yet').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Late shop');
  });

  it('T379: login page: says that nothing was changed by a form without fields, and promises no input', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/wallets');
    await page.getByText('Unlink…').click();
    await pages.inDatabase('UPDATE identity.browser_sessions SET expires_at = now()');
    await page.getByRole('button', { name: /^Unlink wallet/ }).click();
    await page.getByText('so that nothing was changed').waitFor();
    expect(await page.getByText('What you typed is kept').isVisible()).toBe(false);
    await page.goto('/login');
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    expect(await page.getByText('You were signed out in the meantime').count()).toBe(0);
  });

  it('T382: form saved until its user has signed in again: is kept when another tab signs out and in', async () => {
    const { page, context } = await pages.member();
    await fillIn(page);
    const other = await context.newPage();
    await other.goto('/portal');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('link', { name: 'Sign in again' }).click();
    await other.getByRole('button', { name: 'Test Wallet' }).click();
    await other.waitForURL('**/portal/communities');
    await send(page);
    await page.getByText('This page has expired.').waitFor();
    await page.getByText(/You are signed in as \S+ now, and opened this form before that/).waitFor();
    await page.getByRole('link', { name: 'Return to the form' }).click();
    await page.waitForURL(`**${NEW}`);
    await page.getByText('Your changes are not saved yet').waitFor();
    expect(await page.getByLabel('Redirect URIs').inputValue()).toBe('https://shop.example/cb');
    await send(page);
    await page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
  });

  it('T382: form saved until its user has signed in again: is not promised to another user, who signed in in another tab', async () => {
    const { page, context } = await pages.member();
    await installWallet(context, { name: 'Second Wallet' });
    await fillIn(page);
    const other = await context.newPage();
    await other.goto('/portal');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('link', { name: 'Sign in again' }).click();
    await other.getByRole('button', { name: 'Second Wallet' }).click();
    await other.waitForURL('**/portal/communities');
    await send(page);
    await page.getByText('This page has expired.').waitFor();
    expect(await page.locator('[data-keeps-form]').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Return to the form' }).click();
    await page.waitForURL(`**${NEW}`);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });

  it('form that was refused: is shown again when its user goes back to it', async () => {
    const { page } = await pages.member();
    await page.goto(NEW);
    await page.getByLabel('Name', { exact: true }).fill('Late shop');
    await page.getByLabel('Redirect URIs').fill('http://shop.example/cb');
    await send(page);
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    await page.goBack();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Late shop');
  });
});
