import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { renderUnavailableClaimPage } from '../../apps/token-gating/src/assets/verification/claim-page.js';
import { ChartedCommunity } from './charted-community.js';
import { ChatUser } from './chat-user.js';
import { OPERATOR_KEY, type PagesUnderTest } from './pages-under-test.js';
import { visitRulePages } from './rule-pages.js';
import {
  AuthorizationRequest,
  cameBack,
  createApplication,
  type TestApplication,
} from './test-application.js';

/** Pages that lead nowhere: whoever has only the link of a claim is no visitor of the service. */
export const UNKNOWN_CLAIM = 'asset claim that does not exist';
export const UNCHECKED_CLAIM = 'asset claim that cannot be checked';

/** The function that is called for each loaded page. */
export type Look = (name: string, page: Page) => Promise<void>;

export type Visit = (look: Look) => Promise<void>;

/** Visits every page in every visual state, in two parts, because all of them take minutes. */
export interface EveryPage {
  visitUsersPages: Visit;
  /** The pages of developers, of those who run communities, and of operators. */
  visitManagersPages: Visit;
  stop: () => Promise<void>;
}

/** @param pages with every app that they ask */
export async function everyPage(pages: PagesUnderTest): Promise<EveryPage> {
  const shop = await createApplication(pages.suite, 'A shop with rather a long name of its own');
  return {
    visitUsersPages: async (look) => {
      await asStranger(pages, look);
      await asChatUser(pages, look);
      await asUser(pages, shop, look);
    },
    visitManagersPages: async (look) => {
      await asOwner(pages, look);
      const communityId = await asAdministrator(pages, look);
      await asOperator(pages, look, communityId);
    },
    stop: async () => {
      await pages.stop();
      await shop.stop();
    },
  };
}

/** Claims that nothing can open, in a community that was deleted: what the page shows at least. */
const INSERT_CREDENTIALS = `
  INSERT INTO token_gating.verifiable_credentials
    (id, user_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, community_id, role_id, sealed_claims, thumbprint,
      is_public, list_id, entry, created_at, expires_at, revoked_at)
  SELECT gen_random_uuid()::text, users.id, 'community-role', '', 'eoa', '1', '', 'community_' || repeat('x', 17), 'whale',
    decode(repeat('00', 64), 'hex'), '', true, 0, row_number() OVER (), now(), now() + interval '1 day', ended.at
  FROM identity.users CROSS JOIN (VALUES (NULL), (now())) AS ended (at)`;

/** A claim of the newest user, who holds none of it, about a coin and a contract that does not answer. */
const createClaimSql = (slug: string) => `
  INSERT INTO token_gating.asset_claims
    (id, slug_hash, user_id, wallet_type, wallet_chain_id, wallet_address, assets, social_id, opensea_url, signature, created_at,
      expires_at)
  SELECT gen_random_uuid()::text, sha256('${slug}'), user_id, wallet_type, chain_id, address,
    ARRAY['eip155:31337/slip44:60', 'eip155:31337/erc20:0x' || repeat('ab', 20)], 'A social id', 'https://shop.example/nft', '', now(),
    now() + interval '1 day'
  FROM identity.wallet_connections ORDER BY created_at DESC LIMIT 1`;

async function asStranger(pages: PagesUnderTest, look: Look): Promise<void> {
  const { page } = await pages.visitor();
  await page.goto('/');
  await look('front door', page);
  await page.goto('/nothing');
  await look('unknown path', page);
  await page.goto('/oauth2/authorize?client_id=nobody');
  await look('sign-in request that failed', page);
  await page.goto('/portal/nothing');
  await look('unknown path of the portal', page);
  await page.goto('/login/signed-out');
  await look('signed out', page);
  await page.goto('/login?to=%2Fportal%2Fcommunities%2Fnew&ended=yes');
  await page.getByText('You were signed out in the meantime').waitFor();
  await look('login after the session ended', page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  await look('login', page);
  await page.goto('/logout');
  await look('logout', page);
  const none = await pages.visitor({ none: true });
  await none.page.goto('/login');
  await none.page.getByText('No wallet was found').waitFor();
  await look('login without a wallet', none.page);
}

async function asChatUser(pages: PagesUnderTest, look: Look): Promise<void> {
  const user = await ChatUser.create(pages);
  const { page } = await pages.visitor();
  const path = await user.newPage();
  await page.goto(path);
  await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  await look('wallet link', page);
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await page.getByText('The wallet is linked.').waitFor();
  await look('wallet linked', page);
}

async function asUser(pages: PagesUnderTest, shop: TestApplication, look: Look): Promise<void> {
  const { page } = await pages.visitor();
  await page.goto(new AuthorizationRequest(pages.suite.gatewayUrl, shop).url);
  await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  await look('login for an application', page);
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await page.waitForURL('**/consent/**');
  await look('consent', page);
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.getByText('Select at least one permission').waitFor();
  await look('consent to nothing', page);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await cameBack(page);
  await page.goto('/portal/connections');
  await page.locator('main summary').click();
  await look('connections', page);
  await page.goto('/portal/claims');
  await look('no asset claims', page);
  await page.goto('/portal/verifiable-credentials');
  await look('no verifiable credentials', page);
  await pages.inDatabase(INSERT_CREDENTIALS);
  await page.reload();
  await page.getByText('Revoke…').first().click();
  await look('verifiable credentials', page);
  const slug = randomBytes(16).toString('base64url');
  await pages.inDatabase(createClaimSql(slug));
  await page.goto('/portal/claims');
  await page.locator('main summary').click();
  await look('asset claims', page);
  await page.goto(`/asset-verification/${slug}`);
  await look('asset claim', page);
  await page.goto(`/asset-verification/${randomBytes(16).toString('base64url')}`);
  await look(UNKNOWN_CLAIM, page);
  await page.setContent(renderUnavailableClaimPage());
  await look(UNCHECKED_CLAIM, page);
  await page.goto('/portal/wallets');
  await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('wallets', page);
  await pages.inDatabase(
    `INSERT INTO identity.users (id, platform, platform_user_id) VALUES ('user_of_another', 'chat', 'another');
     INSERT INTO identity.wallet_connections
       (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, community_id, created_at)
     SELECT 'wallet_of_another', 'user_of_another', wallet_key, address, account_id, platform, wallet_type, chain_id, '', now()
     FROM identity.wallet_connections ORDER BY created_at DESC LIMIT 1`,
  );
  await page.goto('/portal');
  await look('portal with a wallet that another account linked', page);
  await page.getByRole('link', { name: 'This was not me' }).click();
  await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
  await look('wallet that another account linked', page);
  await page.goto('/portal/profile');
  await look('profile', page);
  await page
    .getByLabel('Name', { exact: true })
    .fill('A name that is as long as a name may be, with 64 code points in it');
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Picture').fill('https://localhost/face.png');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await page.getByRole('alert').waitFor();
  await look('profile with a problem', page);
  const longName = 'Annabella Constantinopolitana of Hohenstein';
  await page.getByLabel('Name', { exact: true }).fill(longName);
  await page.getByLabel('Username').fill('ann_of_every_page');
  await page.getByLabel('Picture').fill('');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await page.getByRole('banner').getByText(longName, { exact: true }).waitFor();
  await look('profile with a long name', page);
  await page.goto('/portal/passkeys');
  await look('no passkeys', page);
  const userId = (await page.locator('.account').getAttribute('data-user')) ?? '';
  await pages.inDatabase(
    `INSERT INTO identity.passkeys (id, user_id, user_handle, credential_id, public_key, counter, transports,
       is_backup_eligible, is_backed_up, name, created_at, blocked_at)
     SELECT 'passkey_' || name, '${userId}', sha256('${userId}'), sha256(name::bytea), '', 0, '{}', true, true, name,
       now() - interval '2 days', CASE name WHEN 'Key' THEN now() - interval '1 day' END
     FROM unnest(ARRAY ['Key', 'A telephone with a name that is as long as a name can be, 64 of it']) AS name`,
  );
  await page.reload();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('passkeys', page);
  await page.goto('/portal/new-passkeys');
  await page.getByRole('heading', { name: 'Are these passkeys yours?' }).waitFor();
  await look('new passkeys', page);
  await page.goto('/portal');
  await look('portal with a notice', page);
  await page.goto('/portal/credentials');
  await look('end a credential', page);
  await page.getByLabel('Credential').fill('none of mine');
  await page.getByRole('button', { name: 'Revoke credential' }).click();
  await page.getByRole('alert').waitFor();
  await look('end a credential with a problem', page);
  await page.goto('/portal/applications/client_of_nobody');
  await look('problem', page);
  await page.goto('/portal/approvals');
  await look('page of operators', page);
}

async function asOwner(pages: PagesUnderTest, look: Look): Promise<void> {
  const { page } = await pages.member();
  await page.goto('/portal');
  await look('portal without applications', page);
  await page.goto('/portal/connections');
  await look('connections of nobody', page);
  await page.goto('/portal/applications/new');
  await look('new application', page);
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await page.getByLabel('Redirect URIs').fill('http://shop.example/cb');
  await page.locator('input[name="scope.token-gating"]').check();
  await page.getByRole('button', { name: 'Register application' }).click();
  await page.getByRole('alert').waitFor();
  await look('new application with a problem', page);
  await page.getByLabel('Redirect URIs').fill(`https://shop.example/${'a-rather-long-path'.repeat(6)}`);
  await page.getByRole('button', { name: 'Register application' }).click();
  await page.getByRole('link', { name: 'I have saved them' }).waitFor();
  await look('secrets', page);
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('application', page);
  await page.getByLabel('Name of the key').fill(' ');
  await page.getByLabel('Only some of it').check();
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('alert').waitFor();
  await look('new key with a problem', page);
  await page.getByRole('link', { name: 'Callback endpoints of Shop' }).click();
  await page.getByLabel('Address').fill(`https://shop.example/${'a-rather-long-path'.repeat(6)}`);
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  await page.getByRole('alert').waitFor();
  await look('callback endpoints with a problem', page);
  await page.getByLabel('An operator approves this application').check();
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  await page.getByRole('link', { name: 'I have saved them' }).waitFor();
  await look('secret of a callback endpoint', page);
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('callback endpoint', page);
  await pages.inDatabase(
    `UPDATE identity.client_applications SET status = 'rejected', rejection_reason = 'Its name is odd.'
     WHERE name = 'Shop' AND owner_id <> ''`,
  );
  await page.goto('/portal');
  await look('portal', page);
  await page.getByRole('link', { name: 'Shop' }).click();
  await look('application that was refused', page);
  await page.goto('/portal/applications/new');
  await page.getByLabel('Name', { exact: true }).fill('Plain shop');
  await page.getByLabel('Redirect URIs').fill('https://plain.example/cb');
  await page.getByRole('button', { name: 'Register application' }).click();
  const clientId = await page.locator('dt:text-is("Client ID") + dd code').innerText();
  const request = { response_type: 'code', client_id: clientId, redirect_uri: 'https://plain.example/cb' };
  await page.goto(`/oauth2/authorize?${new URLSearchParams(request).toString()}`);
  await page.waitForURL('**/consent/**');
  await look('consent to an application that is not reviewed', page);
  await pages.inDatabase(
    `UPDATE identity.client_applications SET reviewed_revision = revision WHERE name IN ('Shop', 'Plain shop')`,
  );
  await page.goto(`/portal/applications/${clientId}`);
  await page.getByLabel('Name', { exact: true }).fill('Renamed shop');
  await page.getByLabel('Redirect URIs').fill('https://plain.example/cb\nhttps://plain.example/new');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Your changes wait for approval').waitFor();
  await look('application with changes that wait', page);
  await pages.inDatabase(`UPDATE identity.client_applications SET status = 'pending' WHERE name = 'Shop'`);
}

/** @returns the id of a community */
async function asAdministrator(pages: PagesUnderTest, look: Look): Promise<string> {
  const visitor = await pages.member();
  const { page } = visitor;
  await page.goto('/portal/communities');
  await look('communities of nobody', page);
  const community = await ChartedCommunity.create(pages, visitor);
  const quiet = await ChartedCommunity.create(pages, visitor, { name: 'Quiet', withHistory: false });
  await page.goto('/portal/communities');
  await look('communities', page);
  await page.goto(community.path);
  await look('overview of a community', page);
  await page.goto(`${community.path}/roles`);
  await look('roles of a community', page);
  await page.goto(`${community.path}/roles/whale`);
  await look('role', page);
  await page.goto(`${community.path}/roles/whale/delete`);
  await look('role to delete', page);
  for (const tab of ['members', 'invitations', 'administrators', 'applications', 'settings']) {
    await page.goto(`${community.path}/${tab}`);
    for (const summary of await page.locator('main summary').all()) await summary.click();
    await look(`${tab} of a community`, page);
  }
  await pages.inDatabase(
    `UPDATE token_gating.communities SET visibility = 'public', rules = '[
       {"roleId":"whale","type":"NATIVE","chainId":31337,"minToken":"1"},
       {"roleId":"collector","not":{"type":"NATIVE","chainId":31337,"minToken":"1"}},
       {"roleId":"collector","anyOf":[{"type":"NATIVE","chainId":31337,"minToken":"5"},{"type":"NATIVE","chainId":31337,"minToken":"7"}]}]'
     WHERE id = '${community.id}'`,
  );
  const invitation = `/portal/invitations/${community.id}`;
  await page.goto(invitation);
  await page.getByRole('button', { name: /^Join / }).waitFor();
  await look('invitation', page);
  await page.goto(`${invitation}x`);
  await look('invitation that is not valid', page);
  await page.goto(invitation);
  await page.getByRole('button', { name: /^Join / }).click();
  await page.getByText('You are a member.').waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('membership', page);
  await page.goto('/portal/memberships');
  await look('memberships', page);
  await page.goto(`${community.path}/members`);
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Checked: ').waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('member', page);
  await pages.inDatabase(
    `INSERT INTO token_gating.removed_members (community_id, user_id, invitation_revision, ended_at, has_left, community_name)
     SELECT id, owner_id, -1, now(), false, name FROM token_gating.communities WHERE id = '${quiet.id}'`,
  );
  await page.goto(`/portal/memberships/${quiet.id}`);
  await page.getByRole('heading', { name: 'You are no longer a member' }).waitFor();
  await look('membership that ended', page);
  await page.goto('/portal/communities/new');
  await page.getByLabel('Name', { exact: true }).fill(' \u0007 ');
  await page.getByRole('button', { name: 'Create community' }).click();
  await page.getByRole('alert').waitFor();
  await look('new community with a problem', page);
  await visitRulePages(page, community.path, look);
  await page.goto(community.chartsPath);
  await page.getByText(/^(Loaded|Data until)/).waitFor();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await look('charts', page);
  await page.goto(quiet.chartsPath);
  await page.getByText(/^(Loaded|Data until)/).waitFor();
  await look('charts without events', page);
  await page.goto(`${quiet.chartsPath}?timeZone=Mars%2FOlympus`);
  await page.getByText('The charts could not be loaded.').waitFor();
  await look('charts with a problem', page);
  await page.goto(`${quiet.chartsPath}?from=2026-01-01`);
  await look('dates with a problem', page);
  return quiet.id;
}

async function asOperator(pages: PagesUnderTest, look: Look, communityId: string): Promise<void> {
  const { page } = await pages.member({ privateKey: OPERATOR_KEY });
  await page.goto('/portal/approvals');
  await page.locator('main summary').first().click();
  await look('approvals', page);
  await page.goto('/portal/plans');
  await look('search for a plan', page);
  await page.goto('/portal/approvals');
  await page.getByRole('link', { name: 'plan', exact: true }).first().click();
  await page.getByLabel('Plan', { exact: true }).selectOption('enterprise');
  await page.getByRole('button', { name: 'Save plan' }).click();
  await page.getByRole('alert').waitFor();
  await look('plan with a problem', page);
  const { clientId } = await pages.suite.createClient({ scopes: ['accountkit'] });
  await page.goto('/portal/account-policies');
  await look('search for an account policy', page);
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByRole('button', { name: 'Find policy' }).click();
  await page.getByText('No policy yet.').waitFor();
  await look('no account policy', page);
  await page.getByLabel('Chain ID, Contracts that accounts may call, row 1').fill('one');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByRole('alert').waitFor();
  await look('account policy with a problem in a field', page);
  await page.getByRole('link', { name: 'Edit as JSON' }).click();
  await page.getByLabel('Policy (JSON)').fill('{"maxValue": "01"}');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByRole('alert').waitFor();
  await look('account policy with a problem', page);
  await page.getByLabel('Policy (JSON)').fill('{}');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.locator('main summary').click();
  await look('account policy', page);
  await page.goto('/portal/freezes');
  await look('no freezes', page);
  await page.getByLabel('What', { exact: true }).selectOption('chain');
  await page.getByLabel('Address, client ID or chain ID').fill('mainnet');
  await page.getByLabel('Reason').fill('A key was found in a log');
  await page.getByRole('button', { name: 'Freeze accounts' }).click();
  await page.getByRole('alert').waitFor();
  await look('freeze with a problem', page);
  await page.getByLabel('Address, client ID or chain ID').fill('31337');
  await page.getByRole('button', { name: 'Freeze accounts' }).click();
  await page.getByRole('heading', { name: 'Freeze chain 31337?' }).waitFor();
  await look('freeze to confirm', page);
  await page.getByRole('button', { name: 'Freeze chain 31337' }).click();
  await page.locator('main summary').click();
  await look('freezes', page);
  await page.getByRole('button', { name: 'Remove freeze of Chain 31337' }).click();
  await page.getByText('Nothing is frozen.').waitFor();
  await page.goto('/portal/suspensions');
  await look('suspensions', page);
  await page.getByLabel('Community ID').fill(communityId);
  await page.getByRole('button', { name: 'Find community' }).click();
  await page.getByText('Suspend community').click();
  await look('community to suspend', page);
  await page.getByLabel('Reason').fill(' ');
  await page.getByRole('button', { name: 'Suspend Quiet' }).click();
  await page.getByRole('alert').waitFor();
  await look('suspension with a problem', page);
  await page.getByLabel('Reason').fill('It imitates another community');
  await page.getByRole('button', { name: 'Suspend Quiet' }).click();
  await page.getByText('Resume community').click();
  await look('suspended community', page);
  await page.goto('/portal/suspensions');
  await page.getByText('It imitates another community').waitFor();
  await look('suspensions with one', page);
  await page.goto('/portal/audit');
  await page.getByText('Filter actions').click();
  await look('record', page);
  await page.goto('/portal/audit?who=nobody');
  await look('record without a match', page);
  await page.goto('/portal/search?q=x');
  await look('search with a problem', page);
  await page.goto('/portal/search?q=shop');
  await look('search', page);
}
