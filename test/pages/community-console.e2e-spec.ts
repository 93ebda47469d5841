import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChartedCommunity } from './charted-community.js';
import { describeInBrowser } from '../support/needs.js';
import { queryDatabase } from '../identity/query-database.js';
import { leaseWholePages, type PagesUnderTest } from './pages-under-test.js';

describeInBrowser('the console of a community', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const countCommunities = async (name: string): Promise<number> =>
    (
      await queryDatabase(pages.suite.databaseUrl, 'SELECT FROM token_gating.communities WHERE name = $1', [
        name,
      ])
    ).length;

  const createCommunity = async (page: Page, name: string): Promise<void> => {
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create community' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  it('communities: a manager creates one by keyboard, and sees what to do next', async () => {
    const { page, complaints } = await pages.member();
    await page.goto('/portal/communities');
    await page.getByText('No communities yet.').waitFor();
    await page.getByRole('link', { name: 'Create community' }).press('Enter');
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('Keyboard club');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keyboard club', level: 1 }).waitFor();
    await page.getByText('Everyone.', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Next steps' }).count()).toBe(1);
    expect(await page.locator('.steps .done').count()).toBe(0);
    expect(await page.title()).toBe('Overview · Keyboard club · Gatehouse');
    await page.goto('/portal/communities');
    await page.getByRole('link', { name: 'Keyboard club' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('T360: new community: a double click and a form sent again after going back create one community, and lead to it', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name', { exact: true }).fill('Twice club');
    await page.getByRole('button', { name: 'Create community' }).dblclick();
    await page.getByRole('heading', { name: 'Twice club', level: 1 }).waitFor();
    expect(await countCommunities('Twice club')).toBe(1);
    await page.goto('/portal/communities/new');
    const [csrf, form] = await Promise.all(
      ['csrf', 'form'].map((name) => page.locator(`form.card input[name=${name}]`).inputValue()),
    );
    const fields = { csrf: csrf ?? '', form: form ?? '', name: 'Thrice club', visibility: 'members' };
    const send = () =>
      page.request.post('/portal/communities', {
        form: fields,
        headers: { origin: new URL(page.url()).origin },
        maxRedirects: 0,
      });
    const responses = await Promise.all([send(), send(), send()]);
    const targets = responses.map((response) => response.headers()['location']);
    expect(new Set(targets).size).toBe(1);
    expect(targets[0]).toMatch(/^\/portal\/communities\/community_/);
    expect(await countCommunities('Thrice club')).toBe(1);
  });

  it('communities: a refused name stays in the form, beside what is wrong with it', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name', { exact: true }).fill('Bell \u0007 club');
    await page.getByLabel('Everyone').check();
    await page.getByRole('button', { name: 'Create community' }).click();
    await page.getByText('This must not hold control characters.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Bell \u0007 club');
    expect(await page.getByLabel('Everyone').isChecked()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Mended club');
    await page.getByRole('button', { name: 'Create community' }).click();
    await page.getByRole('heading', { name: 'Mended club', level: 1 }).waitFor();
  });

  it('roles: are created once, renamed, recolored and deleted by a page that asks', async () => {
    const { page, complaints } = await pages.member();
    await createCommunity(page, 'Role club');
    await page.getByRole('link', { name: 'Create a role' }).click();
    await page.getByText('No roles yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Collector <b>');
    await page.getByLabel('Color', { exact: true }).fill('#00aa55');
    await page.getByRole('button', { name: 'Create role' }).dblclick();
    const role = page.getByRole('link', { name: 'Collector <b>' });
    await role.waitFor();
    expect(await role.count()).toBe(1);
    expect(await page.locator('.dot circle').getAttribute('fill')).toBe('#00aa55');
    await role.click();
    await page.getByText('no rule gives this role').waitFor();
    await page.getByLabel('Name', { exact: true }).fill(' Holder ');
    await page.getByLabel('Without a color').check();
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByRole('link', { name: 'Holder', exact: true }).click();
    expect(await page.locator('.dot').count()).toBe(0);
    await page.getByRole('link', { name: 'Delete role …' }).click();
    await page.getByText('No member holds it.').waitFor();
    await page.getByRole('button', { name: 'Delete role' }).click();
    await page.getByText('No roles yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('T359: roles: two of one name are refused beside the name, for a new role and for one that is renamed', async () => {
    const { page } = await pages.member();
    await createCommunity(page, 'Name club');
    const path = `${new URL(page.url()).pathname}/roles`;
    const create = async (name: string) => {
      await page.goto(path);
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Create role' }).click();
    };
    await create('Collector');
    await page.getByRole('link', { name: 'Collector', exact: true }).waitFor();
    await create(' COLLECTOR ');
    await page.locator('#name-problem').getByText('has a role of this name').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('COLLECTOR');
    await create('Holder');
    await page.getByRole('link', { name: 'Holder', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('collector');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.locator('#name-problem').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('HOLDER');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByRole('link', { name: 'HOLDER', exact: true }).waitFor();
    expect(await page.locator('.items > li').count()).toBe(2);
  });

  it('roles: one that a rule gives is not deleted before the rule', async () => {
    const owner = await pages.member();
    const { page } = owner;
    const community = await ChartedCommunity.create(pages, owner, { name: 'Ruled', withHistory: false });
    await pages.inDatabase(
      `UPDATE token_gating.communities SET rules = '[{"roleId":"whale","type":"NATIVE","chainId":31337,"minToken":"1"}]'
       WHERE id = '${community.id}'`,
    );
    await page.goto(`${community.path}/roles/whale/delete`);
    await page.getByText('Take them away first').waitFor();
    expect(await page.getByRole('button', { name: 'Delete role' }).count()).toBe(0);
    await page.goto(`${community.path}/roles/none`);
    await page.getByText('The community has no such role.').waitFor();
  });

  it('console of a community: is for those who run it', async () => {
    const owner = await pages.member();
    const stranger = await pages.member();
    const community = await ChartedCommunity.create(pages, owner, { name: 'Private', withHistory: false });
    for (const path of ['', '/roles', '/roles/whale', '/roles/whale/delete']) {
      const response = await stranger.page.goto(community.path + path);
      expect({ path, status: response?.status() }).toEqual({ path, status: 404 });
    }
    await pages.inDatabase(
      `UPDATE token_gating.communities SET visibility = 'public' WHERE id = '${community.id}'`,
    );
    const response = await stranger.page.goto(`${community.path}/roles`);
    expect(response?.status()).toBe(403);
  });
});
