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
      await look('Overview');
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
      await click(page, 'Continue');
      await look(/Gatehouse Demo Badge/);
      await click(page, 'Save rule');
      await look('The rule is saved.');
      await click(page, 'Invite people', 'link');
      await look('sign in as outsider');
      await click(page, 'Copy link');
      const link = await page.evaluate<string>('navigator.clipboard.readText()');
      await click(page, 'Sign out');
      // Pasted where a person would paste it.
      await page.goto(link);
      await click(page, 'Sign in to join', 'link');
      await signInAs(page, 'outsider');
      await look('You do not get this role yet');
      await click(page, `Join ${community}`);
      await look('You do not have this role');
      await goTo(page, 'Test wallet');
      await look('You are the outsider');
      await click(page, 'Buy: badge 1');
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
      expect(complaints).toEqual([]);
    },
  );
});
