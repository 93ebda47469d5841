import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { leaseWholePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

describeInBrowser('what a page says about the form that led to it', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const notice = (page: Page) => page.locator('.notice.done');

  /** What the page says, and where its links lead. The page says it once. */
  const readOnce = async (page: Page): Promise<{ text: string; links: (string | null)[] }> => {
    expect(await notice(page).getAttribute('role')).toBe('status');
    const text = await notice(page).innerText();
    const links = await Promise.all(
      (await notice(page).getByRole('link').all()).map((link) => link.getAttribute('href')),
    );
    await page.reload();
    expect(await notice(page).count()).toBe(0);
    return { text, links };
  };

  const createCommunity = async ({ page }: Visitor, name: string): Promise<string> => {
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create community' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    return new URL(page.url()).pathname;
  };

  const createRole = async (page: Page, path: string, name: string): Promise<void> => {
    await page.goto(`${path}/roles`);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('link', { name, exact: true }).waitFor();
  };

  it('T355: roles: say once what was done, and lead to the rule that gives a new role', async () => {
    const owner = await pages.member();
    const { page, complaints } = owner;
    const path = await createCommunity(owner, 'Role notices');
    await createRole(page, path, 'Collectors');
    expect(await complaintsAt(page, [PHONE, DESK])).toEqual([]);
    const created = await readOnce(page);
    expect(created.text).toBe('Role “Collectors” exists. Say who gets it: Add a rule');
    await page.goto(created.links[0] ?? '');
    expect(await page.getByLabel('Role').inputValue()).not.toBe('');
    await page.goto(`${path}/roles`);
    await page.getByRole('link', { name: 'Collectors', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Holders');
    await page.getByRole('button', { name: 'Save role' }).click();
    await notice(page).waitFor();
    // A page that a user leaves and returns to says it no more, nor does the next one.
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByLabel('Name, username or address').waitFor();
    expect(await notice(page).count()).toBe(0);
    await page.goBack();
    await page.getByRole('link', { name: 'Holders', exact: true }).waitFor();
    expect(await notice(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Holders', exact: true }).click();
    await page.getByRole('link', { name: 'Delete role …' }).click();
    await page.getByRole('button', { name: 'Delete role' }).dblclick();
    await page.getByText('No roles yet.').waitFor();
    expect((await readOnce(page)).text).toMatch(
      /^Role (“Holders” )?is deleted, and nobody has it any more\./,
    );
    expect(complaints).toEqual([]);
  });

  it('T355: a notice: appears on the page to which the form leads, for its user alone', async () => {
    const owner = await pages.member();
    const { page, context } = owner;
    const path = await createCommunity(owner, 'Two tabs');
    const other = await context.newPage();
    await page.goto(`${path}/roles`);
    await page.getByLabel('Name', { exact: true }).fill('Early birds');
    // The answer of the form arrives, and the page to which it leads is not asked for yet.
    await page.route('**/roles', (route) =>
      route.request().method() === 'POST'
        ? route.fetch({ maxRedirects: 0 }).then(() => route.fulfill({ status: 204 }))
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Create role' }).click();
    await other.goto(`${path}/members`);
    expect(await notice(other).count()).toBe(0);
    const stranger = await pages.member();
    await stranger.page.goto(`${path}/roles`);
    expect(await notice(stranger.page).count()).toBe(0);
    await other.goto(`${path}/roles`);
    expect((await readOnce(other)).text).toContain('Role “Early birds” exists.');
  });

  it('T355: people: notices about invitations, joining, administrators, leaving and removal lead on', async () => {
    const owner = await pages.member();
    const friend = await pages.member();
    const { page } = owner;
    const path = await createCommunity(owner, 'People notices');
    await page.goto(`${path}/invitations`);
    await page.locator('summary', { hasText: 'Create new link' }).click();
    await page.getByRole('button', { name: 'Create new link and end the old one' }).click();
    expect((await readOnce(page)).text).toContain('The new link works, and all links before it have ended.');
    const link = await page.locator('code.secret').innerText();
    const join = async () => {
      await friend.page.goto(link);
      await friend.page.getByRole('button', { name: 'Join People notices' }).click();
      await notice(friend.page).waitFor();
    };
    await join();
    const joined = await readOnce(friend.page);
    expect(joined.text).toContain('You are a member now.');
    expect(joined.links).toEqual(['/portal/wallets']);
    const { address } = friend.wallet;
    const shortened = `${address.slice(0, 6)}…${address.slice(-4)}`;
    await page.goto(`${path}/administrators`);
    await page.getByLabel('Address or username').fill(address);
    await page.getByRole('button', { name: 'Add administrator' }).click();
    const added = await readOnce(page);
    expect(added.text).toContain(`“${shortened}” runs this community now, too`);
    await page.getByText('Remove …').click();
    await page.getByRole('button', { name: `Remove ${shortened} as administrator` }).click();
    expect((await readOnce(page)).text).toContain(`“${shortened}” no longer runs this community`);
    await page.goto(`${path}/members`);
    await page.getByRole('link', { name: shortened }).click();
    await page.getByText('Remove member').click();
    await page.getByRole('button', { name: `Remove ${shortened}` }).click();
    const removed = await readOnce(page);
    expect(removed.text).toContain(`“${shortened}” is no longer a member.`);
    expect(removed.links).toEqual([`${path}/invitations`]);
  });

  it('T355: deletion of a community: is said on the list, also after a second click', async () => {
    const owner = await pages.member();
    const { page } = owner;
    for (const clickCount of [1, 2]) {
      const path = await createCommunity(owner, 'Short-lived');
      await page.goto(`${path}/settings`);
      await page.locator('summary', { hasText: 'Delete community' }).click();
      await page.getByLabel('Name of the community').fill('Short-lived');
      await page.getByRole('button', { name: 'Delete community' }).click({ clickCount });
      await page.waitForURL('**/portal/communities');
      await page.getByText('No communities yet.').waitFor();
      if (clickCount === 1)
        expect((await readOnce(page)).text).toContain('The community “Short-lived” is deleted');
    }
  });
});
