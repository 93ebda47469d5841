import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { queryDatabase } from '../identity/query-database.js';
import { ChartedCommunity } from './charted-community.js';
import { leaseWholePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';

describeInBrowser('the members of a community in the console', () => {
  let pages: PagesUnderTest;
  let owner: Visitor;
  let community: ChartedCommunity;

  beforeAll(async () => {
    pages = await leaseWholePages();
    owner = await pages.member();
    community = await ChartedCommunity.create(pages, owner, { name: 'Member club', withHistory: false });
  });

  afterAll(async () => {
    await pages.stop();
  });

  const userIdOf = async ({ page }: Visitor): Promise<string> => {
    await page.goto('/portal');
    return (await page.locator('header .account').getAttribute('data-user')) ?? '';
  };

  const setRules = (rules: string, id = community.id): Promise<void> =>
    pages.inDatabase(
      `UPDATE token_gating.communities SET rules = '${rules}', rules_revision = rules_revision + 1 WHERE id = '${id}'`,
    );

  /** Makes a new visitor a member, as an invitation would. */
  const addMember = async (id = community.id): Promise<Visitor> => {
    const visitor = await pages.member();
    await pages.inDatabase(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       VALUES ('${id}', '${await userIdOf(visitor)}', 'ethereum', '${visitor.wallet.address.toLowerCase()}')`,
    );
    await pages.inDatabase(
      `UPDATE token_gating.communities SET member_count = member_count + 1 WHERE id = '${id}'`,
    );
    return visitor;
  };

  const isMember = async (userId: string): Promise<boolean> =>
    (
      await queryDatabase(
        pages.suite.databaseUrl,
        'SELECT FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2',
        [community.id, userId],
      )
    ).length > 0;

  const shortenedAddress = ({ wallet: { address } }: Visitor): string =>
    `${address.slice(0, 6)}…${address.slice(-4)}`;

  const openMember = async (page: Page, member: Visitor): Promise<void> => {
    await page.goto(`${community.path}/members`);
    await page.getByRole('link', { name: shortenedAddress(member) }).click();
    await page.getByText('Roles as of the last check.').waitFor();
  };

  const checkNow = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Checked: ').waitFor();
  };

  const storedRoles = async (userId: string): Promise<unknown[]> =>
    queryDatabase(
      pages.suite.databaseUrl,
      'SELECT role_id FROM token_gating.role_assignments WHERE community_id = $1 AND user_id = $2',
      [community.id, userId],
    );

  it('members of a community: a page says why a member has a role or does not, and removes after asking', async () => {
    const { page, complaints } = owner;
    const member = await addMember();
    const native = (minToken: string) => ({ type: 'NATIVE', chainId: 31_337, minToken });
    await setRules(
      JSON.stringify([
        { roleId: 'whale', ...native('1000000') },
        { roleId: 'collector', not: native('1') },
      ]),
    );
    const memberId = await userIdOf(member);
    await openMember(page, member);
    const role = (name: string) => page.locator('.items > li', { hasText: name });
    await role('Collector <b>').getByText('Does not have this role').waitFor();
    expect(await storedRoles(memberId)).toEqual([]);
    await checkNow(page);
    expect(await storedRoles(memberId)).toHaveLength(1);
    await role('Whale').getByText('Does not have this role').waitFor();
    expect(await role('Whale').locator('.why .no').count()).toBe(1);
    await role('Collector <b>').getByText('Has this role').waitFor();
    await page.getByText('Remove member').click();
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByText('0 members').waitFor();
    expect(await isMember(await userIdOf(member))).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('members of a community: a member reads the reasons of the own roles, and leaves after being asked', async () => {
    const member = await addMember();
    const { page, complaints } = member;
    await page.goto('/portal/communities');
    await page.getByRole('link', { name: 'Member club' }).click();
    await page.getByText('You are a member.').waitFor();
    await page.locator('.items > li', { hasText: 'Whale' }).waitFor();
    await checkNow(page);
    await page.getByText('Leave community').first().click();
    await page.getByRole('button', { name: 'Leave community' }).click();
    await page.getByText('None yet.').waitFor();
    expect(await isMember(await userIdOf(member))).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('T356: membership: says when roles were gained and lost, and after its end how it ended, and nothing to others', async () => {
    const native = { type: 'NATIVE', chainId: 31_337, minToken: '1' };
    await setRules(JSON.stringify([{ roleId: 'collector', not: native }]));
    const member = await addMember();
    const stranger = await pages.member();
    const { page, complaints } = member;
    const path = `/portal/memberships/${community.id}`;
    const role = page.locator('.items > li', { hasText: 'Collector <b>' });
    const time = String.raw`\d+ \w+ \d{4}, \d\d:\d\d UTC`;
    await page.goto(path);
    expect(await role.locator('.hint').count()).toBe(0);
    await checkNow(page);
    expect(await role.locator('.hint').innerText()).toMatch(new RegExp(`^Role gained on ${time}\\.$`));
    await setRules(JSON.stringify([{ roleId: 'collector', ...native }]));
    await page.getByRole('button', { name: 'Check again now' }).click();
    const lost = new RegExp(`^Role lost on ${time}, gained on ${time}\\.$`);
    await role.getByText(lost).waitFor();
    await openMember(owner.page, member);
    await owner.page.locator('.items > li', { hasText: 'Collector <b>' }).getByText(lost).waitFor();
    await owner.page.getByText('Remove member').click();
    await owner.page.getByRole('button', { name: /^Remove / }).click();
    await owner.page.getByLabel('Name, username or address').waitFor();
    // The form of the page that is still open leads to the same page as its address.
    await page.getByRole('button', { name: 'Check again now' }).click();
    await page.getByRole('heading', { name: 'You are no longer a member' }).waitFor();
    expect((await page.reload())?.status()).toBe(410);
    await page.getByText('You were removed from “Member club” on').waitFor();
    await page.getByText('To return you need a new invitation link').waitFor();
    // Later names are not theirs to read.
    await pages.inDatabase(
      `UPDATE token_gating.communities SET name = 'Later club' WHERE id = '${community.id}'`,
    );
    await page.reload();
    expect(await page.content()).not.toContain('Later club');
    await pages.inDatabase(
      `UPDATE token_gating.communities SET name = 'Member club' WHERE id = '${community.id}'`,
    );
    const responses = [];
    for (const id of [community.id, 'community_of_nobody'])
      responses.push(await stranger.page.goto(`/portal/memberships/${id}`));
    expect(responses.map((response) => response?.status())).toEqual([404, 404]);
    expect(complaints).toEqual([]);
  });

  it('T356: membership: somebody who left a public community reads so, and how to join again', async () => {
    const open = await ChartedCommunity.create(pages, owner, { name: 'Open club', withHistory: false });
    const { page } = await addMember(open.id);
    await pages.inDatabase(
      `UPDATE token_gating.communities SET visibility = 'public' WHERE id = '${open.id}'`,
    );
    await page.goto(`/portal/memberships/${open.id}`);
    await page.getByText('Leave community').first().click();
    await page.getByRole('button', { name: 'Leave community' }).click();
    await page.getByText('You have left “Open club”').waitFor();
    await page.goto(`/portal/memberships/${open.id}`);
    await page.getByText('You left “Open club” on').waitFor();
    await page.getByRole('link', { name: 'See what its roles ask for' }).click();
    await page.getByRole('button', { name: 'Join Open club' }).click();
    await page.getByText('You are a member.').waitFor();
  });

  it('members of a community: nothing of somebody who is no member is shown to those who run it', async () => {
    const stranger = await pages.member();
    const { page } = owner;
    const response = await page.goto(`${community.path}/members/${await userIdOf(stranger)}`);
    expect(response?.status()).toBe(404);
    expect(await page.content()).not.toContain(stranger.wallet.address.slice(-4));
  });

  it('members of a community: a second click on a removal ends where the first one does', async () => {
    const { page } = owner;
    const member = await addMember();
    const memberId = await userIdOf(member);
    await openMember(page, member);
    await pages.inDatabase(
      `DELETE FROM token_gating.community_members WHERE community_id = '${community.id}' AND user_id = '${memberId}'`,
    );
    await page.getByText('Remove member').click();
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByLabel('Name, username or address').waitFor();
    expect(new URL(page.url()).pathname).toBe(`${community.path}/members`);
    await pages.inDatabase(
      `UPDATE token_gating.communities SET member_count = 0 WHERE id = '${community.id}'`,
    );
  });

  it('members of a community: one leaves a hidden community without seeing its name', async () => {
    const hidden = await ChartedCommunity.create(pages, owner, { name: 'Secret club', withHistory: false });
    const { page } = await addMember(hidden.id);
    await pages.inDatabase(
      `UPDATE token_gating.communities SET visibility = 'hidden' WHERE id = '${hidden.id}'`,
    );
    await page.goto('/portal/communities');
    await page.getByRole('link', { name: 'A community that its members cannot see' }).click();
    await page.getByText('You can leave it.').waitFor();
    expect(await page.content()).not.toContain('Secret club');
    await page.getByText('Leave community').first().click();
    await page.getByRole('button', { name: 'Leave community' }).click();
    await page.getByText('None yet.').waitFor();
  });

  it('balance check of a community: begins by a button, and the page follows it to its end', async () => {
    const { page, complaints } = owner;
    await addMember();
    await page.goto(`${community.path}/members`);
    await page.getByRole('button', { name: 'Check all members now' }).click();
    await page.getByText(/1 member checked/).waitFor();
    await page.getByRole('button', { name: 'Check all members now' }).click();
    await page.getByRole('alert').waitFor();
    expect(complaints).toEqual([]);
  });

  it('administrators of a community: a member is added by address, refused otherwise, and removed after asking', async () => {
    const { page, complaints } = owner;
    const stranger = await pages.member();
    const member = await addMember();
    await page.goto(`${community.path}/administrators`);
    await page.getByLabel('Address or username').fill(stranger.wallet.address);
    await page.getByRole('button', { name: 'Add administrator' }).click();
    await page.getByText('No member of this community has this address or username.').waitFor();
    expect(await page.getByLabel('Address or username').inputValue()).toBe(stranger.wallet.address);
    await page.getByLabel('Address or username').fill(member.wallet.address);
    await page.getByRole('button', { name: 'Add administrator' }).dblclick();
    await page.getByText(shortenedAddress(member)).first().waitFor();
    await member.page.goto(`${community.path}/administrators`);
    expect(await member.page.getByRole('button', { name: 'Add administrator' }).count()).toBe(0);
    expect(await member.page.getByText('Step down …').count()).toBe(1);
    await page.getByText('Remove …').click();
    await page.getByRole('button', { name: / as administrator$/ }).click();
    await page.getByText('Remove …').waitFor({ state: 'detached' });
    const response = await member.page.goto(`${community.path}/administrators`);
    expect(response?.status()).toBe(403);
    expect(complaints).toEqual([]);
  });

  it('settings of a community: name and visibility change, and deletion asks for the name', async () => {
    const { page, complaints } = owner;
    const doomed = await ChartedCommunity.create(pages, owner, { name: 'Doomed club', withHistory: false });
    await page.goto(`${doomed.path}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Brief club');
    await page.getByLabel('Everyone').check();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('heading', { name: 'Brief club', level: 1 }).waitFor();
    expect(await page.getByLabel('Everyone').isChecked()).toBe(true);
    await page.getByText('Delete community').first().click();
    await page.getByLabel('Name of the community').fill('Doomed club');
    await page.getByRole('button', { name: 'Delete community' }).click();
    await page.getByText('This is not the name of the community, which is: Brief club').waitFor();
    await page.getByLabel('Name of the community').fill('Brief club');
    await page.getByRole('button', { name: 'Delete community' }).click();
    await page.getByRole('heading', { name: 'Communities that you run' }).waitFor();
    expect(await page.getByRole('link', { name: 'Brief club' }).count()).toBe(0);
    expect((await page.goto(doomed.path))?.status()).toBe(404);
    expect(complaints).toEqual([]);
  });

  it('invitations of a community: a new link ends the old one after asking', async () => {
    const { page, complaints } = owner;
    await page.goto(`${community.path}/invitations`);
    const first = await page.locator('.secret').innerText();
    await page.getByText('Create new link', { exact: true }).click();
    await page.getByRole('button', { name: 'Create new link and end the old one' }).click();
    await page.locator('.secret').filter({ hasNotText: first }).waitFor();
    const second = await page.locator('.secret').innerText();
    expect((await fetch(first)).status).toBe(404);
    expect((await fetch(second)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  it('applications of a community: are listed with what they are told, and detached after asking', async () => {
    const { page, complaints } = owner;
    await pages.inDatabase(
      `UPDATE token_gating.community_clients SET callback_url = 'https://bot.example/roles', challenge = 'open'
       WHERE community_id = '${community.id}'`,
    );
    await page.goto(`${community.path}/applications`);
    await page.getByText('bot.example has not confirmed that it wants them').waitFor();
    await page.getByText('Detach …').click();
    await page.getByRole('button', { name: /^Detach / }).click();
    await page.getByText('No applications are attached.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('suspended community: every page says so and offers no change but leaving and deletion', async () => {
    const { page } = owner;
    const bad = await ChartedCommunity.create(pages, owner, { name: 'Bad club', withHistory: false });
    await pages.inDatabase(
      `UPDATE token_gating.communities SET suspended_at = now(), suspension_reason = 'Odd' WHERE id = '${bad.id}'`,
    );
    for (const tab of [
      '',
      '/roles',
      '/members',
      '/invitations',
      '/administrators',
      '/applications',
      '/settings',
    ]) {
      await page.goto(bad.path + tab);
      await page.getByText('An operator of this service has suspended this community.').waitFor();
      const buttons = await page.locator('main form[method=post] button').allTextContents();
      expect({ tab, buttons: buttons.filter((text) => text !== 'Delete community') }).toEqual({
        tab,
        buttons: [],
      });
    }
  });

  it('ownership of a community: is offered to an administrator, who sees what it is and accepts', async () => {
    const { page, complaints } = owner;
    const given = await ChartedCommunity.create(pages, owner, { name: 'Given club', withHistory: false });
    const heir = await addMember(given.id);
    await page.goto(`${given.path}/settings`);
    await page.getByText('The new owner has to be an administrator first.').waitFor();
    await page.goto(`${given.path}/administrators`);
    await page.getByLabel('Address or username').fill(heir.wallet.address);
    await page.getByRole('button', { name: 'Add administrator' }).click();
    await page.getByText('Remove …').waitFor();
    await page.goto(`${given.path}/settings`);
    await page.getByRole('button', { name: 'Offer community' }).dblclick();
    await page.getByText('You have offered it to').waitFor();
    await heir.page.goto('/portal/communities');
    await heir.page.getByRole('link', { name: 'Look at the offer' }).click();
    await heir.page.getByRole('heading', { name: 'Become the owner of Given club' }).waitFor();
    await heir.page.getByRole('button', { name: 'Become the owner' }).click();
    await heir.page.getByText('You own this community.').waitFor();
    await heir.page.getByText('You own this community now.').waitFor();
    // There is no offer to go back to, and its page leads on.
    await heir.page.goBack();
    await heir.page.getByText('You own this community.').waitFor();
    expect(new URL(heir.page.url()).pathname).toBe(given.path);
    await page.goto(given.path);
    await page.getByText('You are an administrator of this community.').waitFor();
    expect([...complaints, ...heir.complaints]).toEqual([]);
  });

  it('members of a community: are searched by a part of the address', async () => {
    const { page } = owner;
    const [first, second] = [await addMember(), await addMember()];
    await page.goto(`${community.path}/members`);
    await page.getByLabel('Name, username or address').fill(first.wallet.address.slice(2, 22));
    await page.getByRole('button', { name: 'Search members' }).click();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    expect(await page.getByRole('link', { name: shortenedAddress(first) }).count()).toBe(1);
    expect(await page.getByRole('link', { name: shortenedAddress(second) }).count()).toBe(0);
    await page.getByLabel('Name, username or address').fill('nobody of this name');
    await page.getByRole('button', { name: 'Search members' }).click();
    await page.getByText('No member is found here').waitFor();
  });
});
