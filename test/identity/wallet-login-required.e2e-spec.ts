import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { read } from '../support/project-files.js';
import { csrfOf, type OAuthBrowser } from './oauth-browser.js';
import { type Application, basic, CALLBACK, OAuthWorld, type TokenAnswer } from './oauth-world.js';

const SCOPES =
  'user:read community:write offline_access user:wallet:write user:client-application:write operator';

/** The operations that a login with a passkey must not reach, with paths of things that need not exist. */
const GUARDED: readonly [string, string, object?][] = [
  ['DELETE', '/account/wallets'],
  ['DELETE', '/account/wallets/0x3315d1b1bF7FD9f8d66F4f2CE0eBCa9935c9a16f'],
  ['POST', '/account/wallet-address', { message: 'x', signedMessage: '0x' }],
  ['POST', '/client-applications', { name: 'shop' }],
  ['PATCH', '/client-applications/app_unknown', { redirectUris: ['https://evil.example/'] }],
  ['DELETE', '/client-applications/app_unknown'],
  ['POST', '/client-applications/app_unknown/secrets', {}],
  ['POST', '/client-applications/app_unknown/api-keys'],
  ['POST', '/client-applications/app_unknown/api-keys/key/rotations', {}],
  ['DELETE', '/client-applications/app_unknown/api-keys/key'],
  ['POST', '/client-applications/app_unknown/publishable-ids', { origins: ['https://shop.example'] }],
  ['DELETE', '/client-applications/app_unknown/publishable-ids/id'],
  ['GET', '/operator/client-applications'],
];

/** The writing operations of users that a login with a passkey may reach: what they give ends, or the user sees it and takes it back. */
const OPEN = new Set([
  'AccountController.changeUserProfile',
  'AssetOwnershipController.generateJwt',
  'CommunityController.changeCommunity',
  'CommunityController.createCommunity',
  'CommunityAdministratorController.removeAdministrator',
  'CommunityClientController.detachClient',
  'CommunityInvitationController.renewInvitation',
  'CommunityMemberController.joinCommunity',
  'CommunityMemberController.leaveCommunity',
  'CommunityRoleController.changeRole',
  'CommunityRoleController.createRole',
  'CommunityRoleController.deleteRole',
  'CommunityRuleController.replaceRules',
  'EthereumCredentialController.revokeCredential',
  'UserInfoController.postUserInfo',
  'VerifiableCredentialController.createNonce',
  'VerifiableCredentialController.issueCredential',
  'VerifiableCredentialController.revokeCredential',
]);

interface Described {
  operationId: string;
  'x-caller': string;
}

it('Operation: every writing operation of users requires a login with the wallet, or is listed as open to a passkey', () => {
  const { paths } = JSON.parse(read('libs/openapi/openapi.json')) as {
    paths: Record<string, Record<string, Described>>;
  };
  const open = Object.values(paths)
    .flatMap((methods) => Object.entries(methods))
    .filter(([method, operation]) => method !== 'get' && operation['x-caller'] === 'user')
    .filter(([, operation]) => !JSON.stringify(operation).includes('wallet_login_required'))
    .map(([, { operationId }]) => operationId);
  expect(open.sort()).toEqual([...OPEN].sort());
});

describe('a login with a passkey', () => {
  let world: OAuthWorld;
  let portal: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    portal = await world.application({
      scopes: SCOPES.split(' ').filter((scope) => scope !== 'offline_access'),
    });
  });

  const idOf = ({ wallet }: OAuthBrowser) => deriveUserId('ethereum', wallet.address.toLowerCase());

  /** Lets the browser's session be one of a login by other methods; null is how earlier releases stored it. */
  const setMethods = (browser: OAuthBrowser, amr: string[] | null) =>
    world.query(
      'UPDATE identity.browser_sessions SET amr = $2, account = CASE WHEN cardinality($2::text[]) > 1 THEN NULL ELSE account END WHERE user_id = $1',
      [idOf(browser), amr],
    );

  const userBy = async (amr: string[] | null): Promise<OAuthBrowser> => {
    const browser = await world.user();
    await setMethods(browser, amr);
    return browser;
  };

  const tokensOf = async (browser: OAuthBrowser): Promise<TokenAnswer> =>
    world.exchange(portal, await world.code(browser, portal, { scope: SCOPES }));

  const ask = async (token: string, method: string, path: string, body?: object) => {
    const response = await fetch(world.origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { error } = JSON.parse((await response.text()) || '{}') as {
      error?: { details: { code: string } };
    };
    return { status: response.status, code: error?.details.code };
  };

  it('OAuth2Controller.token: keeps the methods of the login in codes, refresh tokens and access tokens', async () => {
    const tokens = await tokensOf(await userBy(['pop', 'user']));
    expect(decodeJwt(tokens.access_token)).toMatchObject({ amr: ['pop', 'user'] });
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const renewed = await world.token(portal, refresh);
    expect(decodeJwt(renewed.access_token)).toMatchObject({ amr: ['pop', 'user'] });
    const byWallet = await tokensOf(await world.user());
    expect(decodeJwt(byWallet.access_token)).toMatchObject({ amr: ['pop'] });
  });

  it('OAuth2Controller.token: marks the login methods of a passkey as critical, so that verifiers that ignore them refuse the token', async () => {
    const byPasskey = await tokensOf(await userBy(['pop', 'user']));
    const header = { crit: ['amr'], amr: ['pop', 'user'] };
    expect(decodeProtectedHeader(byPasskey.access_token)).toMatchObject(header);
    expect((await world.introspect(portal, byPasskey.access_token))['active']).toBe(true);
    const byWallet = await tokensOf(await world.user());
    expect(decodeProtectedHeader(byWallet.access_token)).not.toHaveProperty('crit');
  });

  it('OAuth2Controller.revoke: ends codes and refresh tokens of a passkey as those of a wallet', async () => {
    const browser = await userBy(['pop', 'user']);
    const code = await world.code(browser, portal, { scope: SCOPES });
    const tokens = await world.exchange(portal, code);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    await world.post('/oauth2/revoke', { token: refresh.refresh_token }, { authorization: basic(portal) });
    expect((await world.token(portal, refresh)).error).toBe('invalid_grant');
    const next = await tokensOf(browser);
    const replayed = await world.exchange(portal, code);
    expect(replayed.error).toBe('invalid_grant');
    const last = { grant_type: 'refresh_token', refresh_token: next.refresh_token ?? '' };
    expect((await world.token(portal, last)).status).toBe(200);
    expect((await world.token(portal, last)).error).toBeUndefined();
  });

  it.each(GUARDED)('%s %s: answers 403 wallet_login_required to a user of a passkey', async (...request) => {
    const { access_token: token } = await tokensOf(await userBy(['pop', 'user', 'hwk']));
    const { access_token: walletToken } = await tokensOf(await world.user());
    expect(await ask(token, ...request)).toEqual({ status: 403, code: 'wallet_login_required' });
    expect((await ask(walletToken, ...request)).code).not.toBe('wallet_login_required');
  });

  it('OAuth2Controller.token: counts a session of an earlier release as a login with a wallet', async () => {
    const { access_token: token } = await tokensOf(await userBy(null));
    expect((await ask(token, 'DELETE', '/account/wallets')).status).toBe(200);
  });

  it('OAuth2Controller.authorize: does not give a passkey the earlier login of the same user with a wallet', async () => {
    const browser = await world.user();
    expect(decodeJwt((await tokensOf(browser)).access_token)).toMatchObject({ amr: ['pop'] });
    await setMethods(browser, ['pop', 'user']);
    expect(decodeJwt((await tokensOf(browser)).access_token)).toMatchObject({ amr: ['pop', 'user'] });
    await setMethods(browser, ['pop']);
    expect(decodeJwt((await tokensOf(browser)).access_token)).toMatchObject({ amr: ['pop'] });
  });

  it('OAuth2Controller.authorize: an implicit token carries the methods of the login', async () => {
    const app = await world.application({ type: 'public', implicit: true });
    const browser = await userBy(['pop', 'user']);
    const request = { response_type: 'token', client_id: app.clientId, redirect_uri: CALLBACK, state: 's' };
    const { hash } = await world.authorize(browser, request);
    const token = new URLSearchParams(hash.slice(1)).get('access_token') ?? '';
    expect(decodeJwt(token)).toMatchObject({ amr: ['pop', 'user'] });
  });

  it('POST /portal/applications: asks a user of a passkey for a login with the wallet, and so does changing an application', async () => {
    const browser = await userBy(['pop', 'user']);
    const portalPage = await browser.open('/portal');
    expect(portalPage.status).toBe(200);
    const csrf = csrfOf(await portalPage.text());
    const refused = await browser.postForm('/portal/applications', {
      csrf,
      form: 'x'.repeat(43),
      name: 'shop',
    });
    expect([refused.status, refused.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('again=yes'),
    ]);
    const changed = await browser.postForm('/portal/applications/app_unknown', { csrf, name: 'shop' });
    expect(changed.headers.get('location')).toContain('again=yes');
    const login = await browser.open(refused.headers.get('location') ?? '');
    expect(login.status).toBe(200);
  });
});
