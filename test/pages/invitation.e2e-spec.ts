import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { leaseWholePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';

/** What a wallet without coins meets, and what it does not. */
const native = (minToken: string) => ({ type: 'NATIVE', chainId: 31_337, minToken });

describeInBrowser('the page of an invitation', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const createCommunity = async (page: Page, name: string, visibility: string): Promise<string> => {
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel(visibility).check();
    await page.getByRole('button', { name: 'Create community' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    return new URL(page.url()).pathname;
  };

  const createRole = async (page: Page, path: string, name: string): Promise<string> => {
    await page.goto(`${path}/roles`);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create role' }).click();
    const href = await page.getByRole('link', { name, exact: true }).getAttribute('href');
    return href?.split('/').at(-1) ?? '';
  };

  const setRules = (path: string, rules: object[]): Promise<void> =>
    pages.inDatabase(
      `UPDATE token_gating.communities SET rules = '${JSON.stringify(rules)}', rules_revision = rules_revision + 1
       WHERE id = '${path.split('/').at(-1) ?? ''}'`,
    );

  const readLink = async (page: Page, path: string): Promise<string> => {
    await page.goto(`${path}/invitations`);
    return page.locator('.secret').innerText();
  };

  /** A community with a role that an empty wallet gets, and one that it does not get. */
  const createInvitation = async (owner: Visitor, name: string, visibility = 'People with an invitation') => {
    const { page } = owner;
    const path = await createCommunity(page, name, visibility);
    const guest = await createRole(page, path, 'Guest');
    const whale = await createRole(page, path, 'Whale');
    await setRules(path, [
      { roleId: guest, not: native('1') },
      { roleId: whale, ...native('1000') },
    ]);
    return { path, link: await readLink(page, path) };
  };

  const role = (page: Page, name: string) => page.locator('.items > li', { hasText: name });

  it('invitation: a second wallet signs in, sees what it gets, joins, and the manager reads why', async () => {
    const owner = await pages.member();
    const { path, link } = await createInvitation(owner, 'Book club');
    const guest = await pages.visitor();
    const { page, complaints } = guest;
    await page.goto(link);
    await page.getByRole('heading', { name: 'Join Book club' }).waitFor();
    await page.getByText('Neither its name nor its rules were checked by this service.').waitFor();
    await page.getByText('can learn from your roles which wallets of members hold what').waitFor();
    expect(await page.locator('main img, iframe').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in to join' }).click();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await role(page, 'Guest').getByText('You get this role').waitFor();
    await role(page, 'Whale').getByText('You do not get this role yet').waitFor();
    await page.getByRole('button', { name: 'Join Book club' }).dblclick();
    await page.getByText('You are a member.').waitFor();
    await role(page, 'Guest').getByText('You have this role').waitFor();
    await page.goto(link);
    await page.getByText('You are a member already.').waitFor();
    await page.goto('/portal/memberships/community_of_nobody');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(complaints).toEqual([]);
    await owner.page.goto(`${path}/members`);
    const { address } = guest.wallet;
    await owner.page.getByRole('link', { name: `${address.slice(0, 6)}…${address.slice(-4)}` }).click();
    await role(owner.page, 'Guest').getByText('Has this role').waitFor();
    await owner.page.getByRole('button', { name: 'Check now' }).click();
    await role(owner.page, 'Whale').locator('.why .no').waitFor();
    expect(owner.complaints).toEqual([]);
  });

  it('T361: invitation link: leads browsers to the page, gives programs what it gave them before, and tells other sites nothing', async () => {
    const owner = await pages.member();
    const { link } = await createInvitation(owner, 'Link club');
    const asked = await fetch(link);
    expect(asked.headers.get('content-type')).toMatch('application/json');
    expect(await asked.json()).toMatchObject({ name: 'Link club', memberCount: 0 });
    const browser = await fetch(link, { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
    expect(browser.status).toBe(303);
    expect(browser.headers.get('location')).toBe(
      new URL(link).pathname.replace(/^\/communities\/(.*)\/invitations\//, '/portal/invitations/$1/'),
    );
    for (const response of [asked, browser]) {
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('vary')).toMatch('Accept');
    }
    const page = await fetch(link, { headers: { accept: 'text/html' } });
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
  });

  it('T362: invitation: one that has ended, or with a wrong code, names nothing and lets nobody in', async () => {
    const owner = await pages.member();
    const { path, link } = await createInvitation(owner, 'Ended club');
    const guest = await pages.member();
    await guest.page.goto(link);
    const join = guest.page.getByRole('button', { name: 'Join Ended club' });
    await join.waitFor();
    await owner.page.goto(`${path}/invitations`);
    await owner.page.getByText('Create new link', { exact: true }).click();
    await owner.page.getByRole('button', { name: 'Create new link and end the old one' }).click();
    await owner.page.locator('.secret').waitFor();
    await join.click();
    await guest.page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
    for (const wrong of [link, `${link}x`, path.replace('communities', 'invitations')]) {
      const response = await guest.page.goto(wrong);
      expect(response?.status()).toBe(404);
      expect(await guest.page.content()).not.toContain('Ended club');
    }
    await guest.page.goto('/portal/communities');
    await guest.page.getByText('None yet.').waitFor();
  });

  it('invitation: a public community has a page without a code, and joining works by keyboard and without scripts', async () => {
    const owner = await pages.member();
    const { link } = await createInvitation(owner, 'Open club', 'Everyone');
    const guest = await pages.member();
    const plain = await guest.context.browser()?.newContext({
      storageState: await guest.context.storageState(),
      javaScriptEnabled: false,
      baseURL: pages.suite.gatewayUrl,
    });
    const page = await plain?.newPage();
    if (!page) throw new Error('The browser opens a page');
    await page.goto(link);
    await page.getByRole('button', { name: 'Join Open club' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('You are a member.').waitFor();
    await plain?.close();
  });
});
