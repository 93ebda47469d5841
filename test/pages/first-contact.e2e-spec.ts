import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { LocalChain } from '../support/local-chain.js';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { pagesUnderTest, type PagesUnderTest } from './pages-under-test.js';

jest.setTimeout(240_000);

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const SHOTS = process.env['SHOTS'];

/** Accounts whose keys every anvil has. */
const HOLDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OUTSIDER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

/** The badges and the settings with which the local profile starts. */
async function localProfile(chain: LocalChain): Promise<Record<string, string>> {
  const { rpcUrl, chainId } = chain;
  const badges = await chain.deploy('DemoERC721', ['Gatehouse Demo Badge', 'GDB']);
  for (const id of [1n, 2n]) await chain.mint(badges, HOLDER, id);
  const { address } = badges;
  await chain.setNativeBalance(OUTSIDER, 0n);
  return {
    PORTAL_COMMUNITIES: 'on',
    TEST_WALLET: JSON.stringify({
      ...{ rpcUrl, chainId, accounts: { holder: HOLDER, outsider: OUTSIDER } },
      badges: { contractAddress: address, tokenIds: [1, 2] },
    }),
    OWN_COLLECTIONS: JSON.stringify([
      { name: 'Gatehouse Demo Badge', chainId, address, aliases: ['Badge'], isSuggested: true },
    ]),
  };
}

describeInBrowser('the first minutes of a person who runs a community', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await pagesUnderTest({ without: [], env: localProfile });
  });

  afterAll(async () => {
    await pages.stop();
  });

  const click = async (page: Page, name: string | RegExp, role: 'button' | 'link' = 'button') => {
    await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click();
  };

  /** The wallet is chosen by its name. */
  const signInAs = async (page: Page, name: string): Promise<void> => {
    await click(page, `Test wallet (local): ${name}`);
    await page.waitForURL((url) => url.pathname !== '/login');
  };

  /** A link of the navigation, which is behind a menu on a phone. */
  const goTo = async (page: Page, name: string): Promise<void> => {
    const menu = page.getByText('Menu', { exact: true });
    const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
    if (!(await link.isVisible())) await menu.click();
    await link.click();
  };

  const createCommunity = async (page: Page, name: string): Promise<void> => {
    await page.goto('/portal/communities/new');
    await page.getByLabel('Name').fill(name);
    await click(page, 'Create community');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  it.each([
    ['a desk', DESK],
    ['a phone', PHONE],
  ])(
    'T420: first contact: the front page leads by clicks and typed names alone to a role that a second wallet gets, loses by a sale, and reads why, on %s',
    async (device, size) => {
      const { context, page, complaints } = await pages.visitor({ none: true });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: 'light' });
      let shots = 0;
      /** What stands on the page, which is looked at. */
      const look = async (text: string | RegExp): Promise<void> => {
        shots += 1;
        await page.getByText(text).first().waitFor();
        expect({ text, complaints: await complaintsAt(page, [size]) }).toEqual({ text, complaints: [] });
        await page.emulateMedia({ colorScheme: 'light' });
        const path = `${SHOTS ?? ''}/${device.slice(2)}-${String(shots).padStart(2, '0')}.png`;
        if (SHOTS !== undefined) await page.screenshot({ path, fullPage: true });
      };
      const community = `Badge Club of ${device}`;
      await page.goto('/');
      await look('Sign in');
      await click(page, 'Sign in', 'link');
      await signInAs(page, 'holder');
      await look('Create community');
      await click(page, 'Create community', 'link');
      await page.getByLabel('Name').fill(community);
      await click(page, 'Create community');
      await look('Next steps');
      await click(page, /create a role/i, 'link');
      await page.getByLabel('Name').first().fill('Badge holder');
      await click(page, 'Create role');
      await look('Say who gets it:');
      await click(page, 'Add a rule', 'link');
      await look('What must they hold?');
      await page.getByLabel('What must they hold?').fill('badges');
      await click(page, 'Find it');
      await page.getByLabel('At least').waitFor();
      await page.goBack();
      await click(page, /^Gatehouse Demo Badge on Local chain/);
      await look('At least');
      expect(await page.getByText('compare the address').count()).toBe(0);
      await click(page, 'Continue');
      await look(/Gatehouse Demo Badge/);
      await click(page, 'Save rule');
      await look('The rule is saved.');
      await click(page, 'Invite people', 'link');
      await look('sign in as outsider');
      if (size === DESK) await click(page, 'Sign out and open the link as outsider');
      else {
        await click(page, 'Copy link');
        const link = await page.evaluate<string>('navigator.clipboard.readText()');
        await click(page, 'Sign out');
        // Pasted where a person would paste it.
        await page.goto(link);
        await click(page, 'Sign in to join', 'link');
        await signInAs(page, 'outsider');
      }
      await look('You do not get this role yet');
      await click(page, `Join ${community}`);
      await look('You do not have this role');
      if (size === DESK) await goTo(page, 'Test wallet');
      else await click(page, 'Buy or sell a badge of the test wallet', 'link');
      await look('You are the outsider');
      const buy = page.getByRole('button', { name: 'Buy: badge 1' });
      await page.setViewportSize(size);
      expect(((await buy.boundingBox())?.y ?? Infinity) + 44).toBeLessThan(size.height);
      await buy.click();
      await look("Badge 1 is the outsider's now.");
      await click(page, `Check my roles now: ${community}`);
      await look('You have this role');
      // Loading the answer again shows the page, and sends nothing.
      await page.reload();
      expect(new URL(page.url()).pathname).toMatch(/^\/portal\/memberships\/[^/]+$/);
      await page.getByRole('button', { name: 'Check now' }).waitFor();
      await goTo(page, 'Test wallet');
      await click(page, 'Sell to the holder: badge 1');
      await click(page, `Check my roles now: ${community}`);
      await page.getByText('You do not have this role').waitFor();
      await look('Holds 0 NFTs; at least 1 NFT');
      await goTo(page, 'Test wallet');
      await click(page, 'Sign out and go on as holder');
      await page.getByText('You are the holder').waitFor();
      await goTo(page, 'Communities');
      await click(page, community, 'link');
      if (size === PHONE) await page.getByRole('button', { name: 'Overview' }).click();
      await click(page, 'Members', 'link');
      await page.getByRole('rowheader').getByText('outsider').waitFor();
      await look('1 member');
      await page.getByRole('rowheader').getByRole('link').click();
      await look('The last check that decided took the role.');
      expect(complaints).toEqual([]);
    },
  );

  it('T368: invitation: whoever signs out on it comes back to it by signing in again, and as another account of the test wallet by one click', async () => {
    const { page, complaints } = await pages.visitor({ none: true });
    await page.goto('/login');
    await signInAs(page, 'holder');
    await createCommunity(page, 'Return club');
    await page.goto(`${new URL(page.url()).pathname}/invitations`);
    const link = await page.locator('.secret').innerText();
    const isInvitation = (url: URL): boolean => url.pathname.startsWith('/portal/invitations/');
    await page.goto(link);
    await click(page, 'Sign out');
    await page.getByText('leads back to the page on which you signed out').waitFor();
    expect(await complaintsAt(page, [PHONE, DESK])).toEqual([]);
    await click(page, 'Sign in again', 'link');
    await signInAs(page, 'holder');
    await page.waitForURL(isInvitation);
    const other = await page.context().newPage();
    await other.goto(link);
    await click(page, 'Sign out and join as outsider');
    await page.getByText('You are the outsider').waitFor();
    await page.waitForURL(isInvitation);
    // A form of the session before changes nothing.
    await click(other, 'Join Return club');
    await other.getByText('This page has expired.').waitFor();
    await click(page, 'Join Return club');
    await page.getByText('You are a member.').waitFor();
    await click(page, 'Buy or sell a badge of the test wallet', 'link');
    await page.getByText('No rule of Return club that you can see asks for a badge').waitFor();
    expect(complaints).toEqual([]);
  });

  it('T368: another account of the test wallet: needs a form of this session, and leads to pages of this site alone', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.goto('/login');
    await signInAs(page, 'holder');
    const csrf = await page.locator('input[name=csrf]').first().inputValue();
    const signIn = (fields: Record<string, string>) =>
      page.evaluate<[number, string]>(
        `fetch('/portal/test-wallet/sign-ins', { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) })
           .then(({ status, url }) => [status, new URL(url).pathname])`,
      );
    const path = '/portal/test-wallet/sign-ins';
    expect(await signIn({ account: 'outsider', csrf: 'wrong' })).toEqual([403, path]);
    expect(await signIn({ account: 'constructor', csrf })).toEqual([404, path]);
    expect((await page.goto(path))?.status()).toBe(404);
    await page.goto('/portal/test-wallet');
    await page.getByText('You are the holder').waitFor();
    expect(await signIn({ account: 'outsider', csrf, to: 'https://evil.example/portal' })).toEqual([
      200,
      '/portal/communities',
    ]);
    await page.reload();
    await page.getByText('You are the outsider').waitFor();
  });

  it('T377: form of a new community: says how many a user may own, and is not shown to who owns as many', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.goto('/login');
    await signInAs(page, 'outsider');
    await page.goto('/portal/communities/new');
    await page.getByText('You can own 3 communities; a developer can lift this limit.').waitFor();
    for (const name of ['First', 'Second', 'Third']) await createCommunity(page, name);
    await page.goto('/portal/communities/new');
    await page.getByText('and may not own more').waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
    expect(await complaintsAt(page, [PHONE, DESK])).toEqual([]);
  });
});
