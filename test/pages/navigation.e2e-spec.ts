import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { leasePages, OPERATOR_KEY, type PagesUnderTest } from './pages-under-test.js';

const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };
const DESK = { width: 1280, height: 800 };

describeInBrowser('the navigation of the portal', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const groupsOf = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('group').all();

  it('navigation: groups the pages, shows operators those of operators only, and marks the page that is open', async () => {
    const { page, complaints } = await pages.member();
    await page.goto('/portal/wallets');
    const groups = await Promise.all((await groupsOf(page)).map((group) => group.getAttribute('aria-label')));
    expect(groups).toEqual(['Communities', 'Account', 'Developers']);
    expect(await page.locator('[aria-current]').allInnerTexts()).toEqual(['Wallets']);
    expect(await page.getByText('Menu', { exact: true }).isVisible()).toBe(false);
    const operator = await pages.member({ privateKey: OPERATOR_KEY });
    expect(await groupsOf(operator.page)).toHaveLength(4);
    expect(await complaintsAt(operator.page, [NARROW, DESK])).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('T378: navigation: “My memberships” leads to a page of its own, which is marked', async () => {
    const { page } = await pages.member();
    await page.getByRole('link', { name: 'My memberships' }).click();
    await page.getByRole('heading', { name: 'My memberships', level: 1 }).waitFor();
    expect(await page.locator('[aria-current]').allInnerTexts()).toEqual(['My memberships']);
  });

  it('navigation: is one menu on a phone, which opens by keyboard', async () => {
    const { page } = await pages.member({ privateKey: OPERATOR_KEY });
    await page.setViewportSize(PHONE);
    await page.goto('/portal/wallets');
    const profile = page.getByRole('link', { name: 'Profile', exact: true });
    expect(await profile.isVisible()).toBe(false);
    await page.getByText('Menu', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await profile.waitFor();
    expect(await complaintsAt(page, [NARROW, PHONE])).toEqual([]);
    await page.setViewportSize(PHONE);
    await profile.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/profile');
    expect(await profile.isVisible()).toBe(false);
  });

  it('navigation: needs no script, on a wide screen nor on a phone', async () => {
    const { page, context } = await pages.member();
    await context.route(/\.js$/, (route) => route.abort());
    await page.goto('/portal/wallets');
    await page.keyboard.press('Tab');
    for (let tabs = 0; tabs < 10 && (await page.locator('nav a:focus').count()) === 0; tabs += 1)
      await page.keyboard.press('Tab');
    expect(await page.locator('nav a:focus').innerText()).toBe('Communities');
    await page.setViewportSize(PHONE);
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.waitForURL('**/portal/passkeys');
  });
});
