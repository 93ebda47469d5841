import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Address, getAddress } from 'viem';
import { describeInBrowser } from '../support/needs.js';
import type { DeployedContract } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { queryDatabase } from '../identity/query-database.js';
import { complaintsAt } from './complaints.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';

jest.setTimeout(240_000);

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const NOBODY = `0x${'12'.repeat(20)}`;
const SHOTS = process.env['SHOTS'];

describeInBrowser('the rules of a community', () => {
  let pages: PagesUnderTest;
  let apes: DeployedContract;
  let gold: DeployedContract;
  let badges: DeployedContract;
  let manager: Visitor;
  let communities = 0;

  beforeAll(async () => {
    pages = await pagesUnderTest({
      without: [],
      env: { PORTAL_COMMUNITIES: 'on', SWEEP_INTERVAL_MS: '500', BALANCE_CHECK_COOLDOWN_MS: '0' },
    });
    apes = await pages.chain.deploy('DemoERC721', ['Bored Local Apes', 'BLA']);
    badges = await pages.chain.deploy('DemoERC1155');
    manager = await pages.member();
    const { address } = manager.wallet;
    gold = await pages.chain.deploy('DemoERC20', ['Gold', 'GLD', 6, address, 250_000_000n]);
    await pages.chain.mint(apes, address as Address, 7n);
  });

  afterAll(async () => {
    await pages.stop();
  });

  beforeEach(() => {
    manager.complaints.length = 0;
  });

  /** A community with two roles. @returns the path of its rules */
  async function createCommunity({ wallet } = manager): Promise<{ id: string; path: string }> {
    communities += 1;
    const id = `community_rules_${communities}`;
    const inserts = [
      `INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, next_check_at)
       SELECT $1, 'Club ${communities}', 'ethereum', 'public', user_id, now() + interval '1 day'
       FROM identity.wallet_connections WHERE address = $2`,
      `INSERT INTO token_gating.community_administrators (community_id, user_id)
       SELECT $1, user_id FROM identity.wallet_connections WHERE address = $2`,
      `INSERT INTO token_gating.community_roles (community_id, id, name, color, position)
       SELECT $1, role.id, role.name, role.color, role.position
       FROM (VALUES ('holder', 'Holder', 255, 1), ('whale', 'Whale', null, 2)) AS role (id, name, color, position) WHERE $2 <> ''`,
    ];
    for (const sql of inserts) await queryDatabase(pages.suite.databaseUrl, sql, [id, wallet.address]);
    // Communities without an application are few for each user: the tests before have done with theirs.
    await queryDatabase(
      pages.suite.databaseUrl,
      `UPDATE token_gating.communities SET rules = '[]', rules_revision = rules_revision + 1, without_application = false WHERE id <> $1`,
      [id],
    );
    return { id, path: `/portal/communities/${id}/rules` };
  }

  const rulesOf = async (id: string): Promise<unknown> => {
    const sql = 'SELECT rules FROM token_gating.communities WHERE id = $1';
    const [row] = (await queryDatabase(pages.suite.databaseUrl, sql, [id])) as { rules: unknown }[];
    return row?.rules;
  };

  const shoot = async (page: Page, name: string): Promise<void> => {
    const complaints = await complaintsAt(page, [PHONE, DESK]);
    expect({ name, complaints }).toEqual({ name, complaints: [] });
    if (SHOTS === undefined) return;
    for (const [size, label] of [
      [PHONE, 'phone'],
      [DESK, 'desk'],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${SHOTS}/${name}-${label}-${colorScheme}.png`, fullPage: true });
      }
    await page.emulateMedia({ colorScheme: 'light' });
  };

  const find = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('What must they hold?').fill(text);
    await page.getByRole('button', { name: 'Find it' }).click();
  };

  const join = async (communityId: string, { wallet }: Visitor): Promise<void> => {
    await queryDatabase(
      pages.suite.databaseUrl,
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       SELECT $1, user_id, 'ethereum', lower(address) FROM identity.wallet_connections WHERE address = $2`,
      [communityId, wallet.address],
    );
    await queryDatabase(
      pages.suite.databaseUrl,
      'UPDATE token_gating.communities SET member_count = member_count + 1 WHERE id = $1',
      [communityId],
    );
  };

  const holders = async (communityId: string): Promise<number> => {
    const sql = 'SELECT FROM token_gating.role_assignments WHERE community_id = $1';
    return (await queryDatabase(pages.suite.databaseUrl, sql, [communityId])).length;
  };

  it('rules: a link becomes a saved rule, and the wallet of another member gets the role', async () => {
    const { page, complaints } = manager;
    const { id, path } = await createCommunity();
    const member = await pages.member();
    await join(id, member);
    await pages.chain.mint(apes, member.wallet.address as Address, 8n);
    await page.goto(path);
    await page.getByText('Nobody gets this role yet, because it has no rule.').first().waitFor();
    await page.getByText('Members are checked when they join, when rules change, once a day').waitFor();
    await page.getByText('Up to 10 rules and 100 members').waitFor();
    await shoot(page, 'no-rules');
    await page.getByRole('link', { name: 'Add rule for Holder' }).click();
    await shoot(page, 'start');
    await find(page, `https://explorer.of-the-chain.example/token/${apes.address}#inventory`);
    await page.getByText('Bored Local Apes (BLA)').waitFor();
    await page.getByText('NFT collection (ERC-721) on').waitFor();
    await shoot(page, 'condition');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Members get Holder when they hold at least 1 NFT of Bored Local Apes on').waitFor();
    await page.getByLabel('Addresses of wallets').fill(`${member.wallet.address}\n${NOBODY}`);
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.getByText('Would get the role', { exact: true }).waitFor();
    await page.getByText('Would not get the role').waitFor();
    await page.getByText('Holds 1 NFT.').waitFor();
    await page.getByText('Holds 0 NFTs; at least 1 NFT needed.').waitFor();
    await shoot(page, 'review');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    await shoot(page, 'list');
    expect(await rulesOf(id)).toEqual([
      {
        ...{ roleId: 'holder', type: 'ERC721', chainId: pages.chain.chainId, minToken: '1' },
        ...{ contractAddress: getAddress(apes.address), name: 'Bored Local Apes', tokenSymbol: 'BLA' },
      },
    ]);
    await until('the member has the role', async () => (await holders(id)) === 1);
    await page.getByRole('link', { name: /^Remove/ }).click();
    await page
      .getByText('1 member has the role now. They lose it soon, because no other rule gives it.')
      .waitFor();
    await shoot(page, 'removal');
    await page.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('The rule is removed.').waitFor();
    await until('the member has lost the role', async () => (await holders(id)) === 0);
    expect(complaints).toEqual([]);
  });

  it('rules: are built in groups, changed and saved in every way, with amounts in whole tokens', async () => {
    const { page, complaints } = manager;
    const { id, path } = await createCommunity();
    await page.goto(`${path}/new?role=whale`);
    await find(page, gold.address);
    await page.getByLabel('At least').fill('0.1234567');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('GLD has 6 digits behind the point').waitFor();
    await shoot(page, 'condition-problem');
    await page.getByLabel('At least').fill('1,000.5');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('hold at least 1,000.5 GLD on').first().waitFor();
    await page.getByRole('button', { name: 'Add another condition' }).click();
    await find(page, badges.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Write which tokens of the contract count.').waitFor();
    await page.getByLabel('Which tokens?').fill('#7, 9–11');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('meet all of these:').waitFor();
    await page.getByLabel('These conditions').selectOption('None may be met');
    await page.getByText('meet none of these:').waitFor();
    await page.getByLabel('These conditions').selectOption('At least this many');
    await page.getByText('meet at least 1 of these 2:').waitFor();
    await page.getByLabel('How many').fill('2');
    await page.keyboard.press('Tab');
    await page.getByText('meet at least 2 of these 2:').waitFor();
    await page.getByRole('button', { name: 'Add another condition' }).click();
    await page.getByText('Coins instead').click();
    await page.getByRole('button', { name: 'Use this coin' }).click();
    await page.getByLabel('At least').fill('0.5');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('meet at least 2 of these 3:').waitFor();
    await page.getByRole('button', { name: 'Try my wallets' }).click();
    await page.getByText('Holds 250 tokens; at least 1,000.5 tokens needed.').waitFor();
    await shoot(page, 'review-group');
    await page.getByRole('button', { name: 'Take out condition 3' }).click();
    await page.getByText('meet at least 2 of these 2:').waitFor();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    expect(await rulesOf(id)).toMatchObject([
      {
        roleId: 'whale',
        atLeast: {
          count: 2,
          of: [
            { type: 'ERC20', minToken: '1000.5' },
            { type: 'ERC1155', tokenId: '7,9-11' },
          ],
        },
      },
    ]);
    await page.getByRole('link', { name: /^Change/ }).click();
    await page.getByRole('link', { name: 'Change condition 1' }).click();
    await page.getByLabel('At least').fill('5');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save rule' }).dblclick();
    await page.getByText('The rule is saved.').waitFor();
    await page.locator('.conditions').getByText('hold at least 5 GLD on').waitFor();
    expect(await page.locator('.rule-role .items > li').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('rules: pasted texts that are hostile or no contract are refused in words, and stay in the form', async () => {
    const { page, complaints } = manager;
    const { path } = await createCommunity();
    await page.goto(`${path}/new?role=whale`);
    const refused: [string, RegExp][] = [
      ['javascript:alert(1)', /Only https links are read here/],
      [`https://etherscan.io@evil.example/token/${apes.address}`, /hides where it leads/],
      [
        `https://etherscan.io/token/${apes.address}`,
        /This is on Ethereum, which this service does not read\. It reads/,
      ],
      ['"><script>alert(1)</script>', /No token or collection called/],
      ['Bored Apes', /This is on Ethereum, which this service does not read/],
      ['vitalik.eth', /Names of wallets such as vitalik\.eth/],
      ['https://opensea.io/collection/some-friends', /names a collection, but not its contract/],
      [NOBODY, /There is no token or collection at this address/],
      ['a'.repeat(10_000), /too long for a link/],
    ];
    for (const [text, message] of refused) {
      await find(page, text);
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
      expect(await page.getByLabel('What must they hold?').inputValue()).toBe(text);
    }
    await shoot(page, 'start-problem');
    expect(complaints).toEqual([]);
  });

  it('rules: going back after refused forms, a reload and a server that is away lose nothing that was typed', async () => {
    const { page, complaints } = manager;
    const { id, path } = await createCommunity();
    await page.goto(path);
    await page.getByRole('link', { name: 'Add rule for Holder' }).click();
    await page.route('**/rules/new', (route) => route.abort());
    await find(page, apes.address);
    await page.getByText('The server cannot be reached.').waitFor();
    expect(await page.getByLabel('What must they hold?').inputValue()).toBe(apes.address);
    await page.unroute('**/rules/new');
    await find(page, 'nothing of that name');
    await page.getByRole('alert').filter({ hasText: 'No token or collection called' }).waitFor();
    await find(page, apes.address);
    await page.getByLabel('At least').fill('many');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Write a number such as 1 or 0.5.', { exact: true }).waitFor();
    await page.getByLabel('At least').fill('2');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('when they hold at least 2 NFTs').waitFor();
    await page.getByLabel('Addresses of wallets').fill(NOBODY);
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.getByText('Would not get the role').waitFor();
    await page.reload();
    await page.getByText('when they hold at least 2 NFTs').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'How much of it?' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'New rule' }).waitFor();
    await page.goForward();
    await page.getByRole('heading', { name: 'How much of it?' }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save rule' }).dblclick();
    await page.getByText('The rule is saved.').waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    expect(await rulesOf(id)).toMatchObject([{ minToken: '1' }]);
    expect(complaints).toEqual([]);
  });

  const buildRule = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${path}/new?role=holder`);
    await find(page, apes.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('when they hold at least 1 NFT of Bored Local Apes').first().waitFor();
  };

  const signOut = async (page: Page): Promise<void> => {
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/login/signed-out');
  };

  it('rules: a rule that is being built outlives the end of the session, with the addresses to try', async () => {
    const member = await pages.member();
    const { page, context } = member;
    const { id, path } = await createCommunity(member);
    await buildRule(page, path);
    await page.getByLabel('Addresses of wallets').fill(NOBODY);
    const other = await context.newPage();
    await signOut(other);
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.waitForURL('**/login?*');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('You have signed in again.').waitFor();
    await page.getByText('when they hold at least 1 NFT of Bored Local Apes').first().waitFor();
    expect(await page.getByLabel('Addresses of wallets').inputValue()).toBe(NOBODY);
    // A page that says that the form has expired leads back to the rule, too.
    await signOut(other);
    await other.getByRole('link', { name: 'Sign in again' }).click();
    await other.getByRole('button', { name: 'Test Wallet' }).click();
    await other.waitForURL('**/portal/communities');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('This page has expired.').waitFor();
    await page.getByText('What you filled in is kept').waitFor();
    await page.getByRole('link', { name: 'Return to the form' }).click();
    await page.getByText('when they hold at least 1 NFT of Bored Local Apes').first().waitFor();
    expect(await page.getByLabel('Addresses of wallets').inputValue()).toBe(NOBODY);
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    expect(await rulesOf(id)).toMatchObject([{ name: 'Bored Local Apes' }]);
    // Forms that hold nothing but a question are not said to be kept.
    await page.getByRole('link', { name: /^Remove/ }).click();
    const removal = page.url();
    await signOut(other);
    await other.getByRole('link', { name: 'Sign in again' }).click();
    await other.getByRole('button', { name: 'Test Wallet' }).click();
    await other.waitForURL('**/portal/communities');
    await page.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('This page has expired.').waitFor();
    expect(await page.getByText('What you filled in is kept').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Return to the form' }).click();
    await page.waitForURL(removal);
  });

  it('rules: addresses stay between the steps, and a click while a form is sent is not lost', async () => {
    const { page, complaints } = manager;
    const { id, path } = await createCommunity();
    await buildRule(page, path);
    await page.getByLabel('Addresses of wallets').fill(NOBODY);
    await page.getByRole('button', { name: 'Add another condition' }).click();
    await find(page, gold.address);
    await page.getByLabel('At least').fill('many');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').filter({ hasText: 'Correct these fields' }).waitFor();
    expect(await page.evaluate('document.activeElement?.getAttribute("role")')).toBe('alert');
    await page.getByLabel('At least').fill('2');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('meet all of these:').waitFor();
    expect(await page.getByLabel('Addresses of wallets').inputValue()).toBe(NOBODY);
    await page.evaluate('globalThis.isSamePage = true');
    await page.keyboard.press('Control+Home');
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**#content');
    let release = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/rules/new', async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.getByLabel('These conditions').selectOption('One is enough');
    await page.getByLabel('Addresses of wallets').fill('');
    await page.getByRole('button', { name: 'Save rule' }).click();
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
    release();
    await page.getByText('The rule is saved.').waitFor();
    await page.unroute('**/rules/new');
    expect(await rulesOf(id)).toMatchObject([{ anyOf: [{ type: 'ERC721' }, { type: 'ERC20' }] }]);
    expect(complaints).toEqual([]);
  });

  it('rules: a chain that does not answer is said in words, and nothing that was typed is lost', async () => {
    const { page, complaints } = manager;
    const { path } = await createCommunity();
    const another = await pages.chain.deploy('DemoERC721', ['Quiet Apes', 'QA']);
    await page.goto(`${path}/new?role=holder`);
    await pages.chain.pause();
    try {
      await find(page, another.address);
      await page.getByRole('alert').filter({ hasText: 'Try it again in a moment.' }).waitFor();
      expect(await page.getByLabel('What must they hold?').inputValue()).toBe(getAddress(another.address));
    } finally {
      pages.chain.resume();
    }
    await page.getByRole('button', { name: 'Find it' }).click();
    await page.getByText('Quiet Apes (QA)').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Addresses of wallets').fill(NOBODY);
    await pages.chain.pause();
    try {
      await page.getByRole('button', { name: 'Try rule' }).click();
      await page.getByText('Not known now').waitFor();
      await page.getByText('The chain did not answer. Try it again later.').waitFor();
    } finally {
      pages.chain.resume();
    }
    expect(complaints).toEqual([]);
  });

  it('T370: rules: two administrators who change rules at once overwrite nothing, and see what the other has changed', async () => {
    const { page, context } = manager;
    const { id, path } = await createCommunity();
    const build = async (one: Page, role: string): Promise<void> => {
      await one.goto(`${path}/new?role=${role}`);
      await find(one, apes.address);
      await one.getByRole('button', { name: 'Continue' }).click();
      await one.getByRole('button', { name: 'Save rule' }).waitFor();
    };
    const other = await context.newPage();
    await build(page, 'holder');
    await build(other, 'whale');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    await other.getByRole('button', { name: 'Save rule' }).click();
    await other.getByText('The rules of this community have changed since you began.').waitFor();
    await other.getByText('New: members get Holder when they').waitFor();
    await shoot(other, 'conflict');
    expect(await rulesOf(id)).toMatchObject([{ roleId: 'holder' }]);
    await other.getByRole('button', { name: 'Save rule' }).click();
    await other.getByText('The rule is saved.').waitFor();
    expect(await rulesOf(id)).toMatchObject([{ roleId: 'holder' }, { roleId: 'whale' }]);
    // A rule that is gone is not removed twice, and another one is not removed in its place.
    await page.goto(path);
    const removals = page.getByRole('link', { name: /^Remove/ });
    await removals.first().click();
    await other.goto(page.url());
    await page.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('The rule is removed.').waitFor();
    await other.getByRole('button', { name: 'Remove rule' }).click();
    await other.getByText('This rule was removed before.').waitFor();
    expect(await rulesOf(id)).toMatchObject([{ roleId: 'whale' }]);
    await other.close();
  });

  it('rules: deeper rules of programs are shown in words, are not changed, and stay as they are', async () => {
    const { page } = manager;
    const { id, path } = await createCommunity();
    const coin = { type: 'NATIVE', chainId: pages.chain.chainId, minToken: '0.5' };
    const deep = { roleId: 'whale', allOf: [coin, { anyOf: [coin, { not: coin }] }] };
    const later = { roleId: 'whale', type: 'LATER_TYPE', asset: 'x' };
    await queryDatabase(
      pages.suite.databaseUrl,
      'UPDATE token_gating.communities SET rules = $2::jsonb, rules_revision = rules_revision + 1 WHERE id = $1',
      [id, JSON.stringify([deep])],
    );
    await page.goto(path);
    await page.getByText('Made by a program').waitFor();
    expect(await page.getByRole('link', { name: /^Change/ }).count()).toBe(0);
    await shoot(page, 'deep');
    await page.getByRole('link', { name: 'Add rule for Holder' }).click();
    await find(page, apes.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    expect(await rulesOf(id)).toMatchObject([deep, { type: 'ERC721' }]);
    // A rule of a later release keeps others from being saved, and the page says which one.
    await queryDatabase(
      pages.suite.databaseUrl,
      'UPDATE token_gating.communities SET rules = $2::jsonb, rules_revision = rules_revision + 1 WHERE id = $1',
      [id, JSON.stringify([later])],
    );
    await page.goto(`${path}/new?role=holder`);
    await find(page, apes.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('Another rule of the community cannot be saved as it is').waitFor();
    expect(await rulesOf(id)).toEqual([later]);
  });

  it('rules: are made, tried and removed without scripts', async () => {
    const { id, path } = await createCommunity();
    const storageState = await manager.context.storageState();
    const browser = manager.context.browser();
    const context = await browser?.newContext({
      ...{ baseURL: pages.suite.gatewayUrl, storageState, javaScriptEnabled: false },
    });
    const page = await context?.newPage();
    if (!page) throw new Error('The browser has a page');
    await page.goto(path);
    await page.getByRole('link', { name: 'Add rule for Whale' }).click();
    await find(page, `eip155:${pages.chain.chainId}/erc721:${apes.address}/7`);
    expect(await page.getByLabel('Which tokens?').inputValue()).toBe('7');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Add another condition' }).click();
    await find(page, gold.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('These conditions').selectOption('One is enough');
    await page.getByRole('button', { name: 'Update sentence' }).click();
    await page.getByText('meet at least one of these:').waitFor();
    await page.getByLabel('Addresses of wallets').fill('not an address');
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.locator('#addresses-problem').waitFor();
    expect(await page.getByLabel('Addresses of wallets').inputValue()).toBe('not\nan\naddress');
    await page.getByLabel('Addresses of wallets').fill(NOBODY);
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.getByText('Would not get the role').waitFor();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is saved.').waitFor();
    expect(await rulesOf(id)).toMatchObject([
      { roleId: 'whale', anyOf: [{ tokenId: '7' }, { type: 'ERC20' }] },
    ]);
    await page.getByRole('link', { name: /^Remove/ }).click();
    await page.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByText('The rule is removed.').waitFor();
    await context?.close();
  });

  it('rules: limits of communities without an application, and other refusals, stand beside what they are about', async () => {
    const { page } = manager;
    const { id, path } = await createCommunity();
    await page.goto(`${path}/new?role=holder`);
    await find(page, apes.address);
    await page.getByText('Only certain ones count').click();
    await page.getByLabel('Which tokens?').fill('https://lists.example/rare.txt');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('The rule is not saved.').waitFor();
    await page.locator('.items .problem').getByText('This must name the ids, not a list by URL').waitFor();
    await shoot(page, 'refused');
    expect(await rulesOf(id)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Save rule' }).count()).toBe(1);
  });

  it('rules: belong to those who run the community, and a link of somebody else names no contract', async () => {
    const { page } = manager;
    const { path } = await createCommunity();
    const stranger = await pages.member();
    for (const place of ['', '/new?role=holder', '/condition', '/remove?rule=abcdef']) {
      const response = await stranger.page.goto(path + place);
      expect({ place, status: response?.status() }).toEqual({ place, status: 403 });
    }
    await page.goto(`${path}/new?role=holder`);
    await find(page, apes.address);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('when they hold at least 1 NFT of Bored Local Apes').first().waitFor();
    const [text = '', signature = ''] = (new URL(page.url()).searchParams.get('draft') ?? '').split('.');
    await page.goto(`${path}/new?draft=${text}.${signature.slice(1)}`);
    await page.getByText('Members get Holder when they').waitFor();
    expect(await page.getByText('Bored Local Apes').count()).toBe(0);
  });
});
