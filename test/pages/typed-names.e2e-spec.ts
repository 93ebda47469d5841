import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { namehash } from 'viem';
import { queryDatabase } from '../identity/query-database.js';
import type { DeployedContract } from '../support/local-chain.js';
import { describeInBrowser } from '../support/needs.js';
import { ChartedCommunity } from './charted-community.js';
import { complaintsAt } from './complaints.js';
import { OPERATOR_KEY, pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { privateKeyToAddress } from 'viem/accounts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];
/** The second letter is Cyrillic. */
const LOOK_ALIKE = 'm\u0430nager.eth';
const SHOTS = process.env['SHOTS'];

describeInBrowser('ENS names that people type', () => {
  let pages: PagesUnderTest;
  let ens: DeployedContract;
  let owner: Visitor;
  let member: Visitor;
  let community: ChartedCommunity;

  beforeAll(async () => {
    pages = await pagesUnderTest({
      without: [],
      with: ['analytics'],
      env: async (chain) => {
        ens = await chain.deploy('DemoEns');
        const { address } = await chain.deploy('DemoUniversalResolver', [ens.address]);
        return {
          PORTAL_COMMUNITIES: 'on',
          ENS_CHAIN_ID: String(chain.chainId),
          ENS_UNIVERSAL_RESOLVER: address,
          OPERATOR_ACCOUNTS: `eip155:31337:${privateKeyToAddress(OPERATOR_KEY)}`,
        };
      },
    });
    owner = await pages.member();
    member = await pages.member();
    community = await ChartedCommunity.create(pages, owner, { name: 'Name club', withHistory: false });
    await queryDatabase(
      pages.suite.databaseUrl,
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       SELECT $1, user_id, 'ethereum', lower(address) FROM identity.wallet_connections WHERE address = $2`,
      [community.id, member.wallet.address],
    );
    await pages.chain.send(ens, 'setAddr', [namehash('manager.eth'), member.wallet.address]);
  }, 180_000);

  afterAll(async () => {
    await pages.closeVisitors();
    await pages.stop();
  });

  const look = async (name: string): Promise<void> => {
    expect(await complaintsAt(owner.page, SIZES)).toEqual([]);
    if (SHOTS !== undefined) await owner.page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  };

  it('T367: add administrator: shows the address of a name before it is added', async () => {
    const { page } = owner;
    await page.goto(`${community.path}/administrators`);
    const field = page.getByLabel('Address, ENS name or username');
    await field.fill('Manager.eth');
    await page.getByRole('button', { name: 'Add administrator' }).click();
    await page.getByText('manager.eth stands for this address now.').waitFor();
    expect(await field.inputValue()).toBe(member.wallet.address);
    expect(await page.locator('.items.card > li').count()).toBe(1);
    await look('administrator');
    await page.getByRole('button', { name: 'Add administrator' }).click();
    await page.locator('.items.card > li:nth-child(2)').waitFor();
  });

  it.each([
    ['nobody.eth', 'No address stands behind nobody.eth.'],
    [LOOK_ALIKE, 'is no valid name'],
  ])('T367: add administrator: refuses %s beside the field, which keeps it', async (name, text) => {
    const { page } = owner;
    await page.goto(`${community.path}/administrators`);
    const field = page.getByLabel('Address, ENS name or username');
    await field.fill(name);
    await page.getByRole('button', { name: 'Add administrator' }).click();
    await page.locator('#person-problem').getByText(text).waitFor();
    expect(await field.inputValue()).toBe(name);
    await look('refused');
  });

  it('T367: search of members: finds who has the address of a name, not who is called like it', async () => {
    const { page } = owner;
    const members = `${community.path}/members`;
    await page.goto(`${members}?text=manager.eth`);
    await page.getByText(`manager.eth stands for ${member.wallet.address} now.`).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await look('members');
    await page.goto(`${members}?text=nobody.eth`);
    await page.getByText('No address stands behind nobody.eth.').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('nobody.eth');
  });

  it('T367: trial of a rule: takes names, and shows the address beside each', async () => {
    const { page, complaints } = owner;
    const gold = await pages.chain.deploy('DemoERC20', ['Gold', 'GLD', 6, member.wallet.address, 5_000_000n]);
    await page.goto(`${community.path}/rules/new`);
    const roles = page.getByLabel('Role', { exact: true });
    if ((await roles.count()) > 0) await roles.selectOption({ index: 1 });
    await page.getByLabel('What must they hold?').fill(gold.address);
    await page.getByRole('button', { name: 'Find it' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    const addresses = page.getByLabel('Addresses of wallets');
    await addresses.fill('manager.eth nobody.eth');
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.locator('#addresses-problem').getByText('No address stands behind nobody.eth.').waitFor();
    await addresses.fill('manager.eth');
    await page.getByRole('button', { name: 'Try rule' }).click();
    await page.getByText('Would get the role', { exact: true }).waitFor();
    const head = page.locator('.result-head');
    expect(await head.innerText()).toContain('manager.eth');
    expect(await head.locator('code').getAttribute('title')).toBe(member.wallet.address);
    expect(await addresses.inputValue()).toBe('manager.eth');
    await look('trial');
    expect(complaints).toEqual([]);
  });

  it('T367: search of operators: finds users by the address of a name', async () => {
    const { page } = await pages.member({ privateKey: OPERATOR_KEY });
    await page.goto('/portal/search');
    await page.getByRole('searchbox').fill('manager.eth');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(`manager.eth stands for ${member.wallet.address} now.`).waitFor();
    await page.getByText(member.wallet.address).nth(1).waitFor();
    await page.getByRole('searchbox').fill('nobody.eth');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('#q-problem').getByText('No address stands behind nobody.eth.').waitFor();
  });
});
