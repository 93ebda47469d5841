import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import { csrfOf, type OAuthBrowser } from './oauth-browser.js';
import { listUsersOfEvents } from './list-sign-ins.js';
import { type Application, CALLBACK, OAuthWorld, type TokenAnswer } from './oauth-world.js';

interface GrantRow {
  id: string;
  expires: number;
}

describe('a user’s consent to a client application', () => {
  let world: OAuthWorld;
  let shop: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application({ scopes: ['user:wallet:read'] });
  });

  const BOTH = 'user:read user:wallet:read';

  const request = (scope: string, more: Record<string, string> = {}) => ({
    response_type: 'code',
    client_id: shop.clientId,
    redirect_uri: CALLBACK,
    scope,
    ...more,
  });

  async function decide(
    browser: OAuthBrowser,
    scope: string,
    leaveOut: string[] = [],
    more: Record<string, string> = { prompt: 'consent' },
  ): Promise<TokenAnswer> {
    const back = await world.authorize(browser, request(scope, more), 'grant', leaveOut);
    return world.exchange(shop, back.searchParams.get('code') ?? '');
  }

  const silently = async (browser: OAuthBrowser, scope: string) => {
    const { location = '' } = await browser.follow(world.authorizeUrl(request(scope, { prompt: 'none' })));
    return Object.fromEntries(new URL(location).searchParams);
  };

  /** The same user with another session at oidc-provider, as on another day. */
  const later = (browser: OAuthBrowser): OAuthBrowser => {
    const twin = browser.twin();
    for (const key of [...twin.cookies.keys()])
      if (key.startsWith('gatehouse_oauth')) twin.cookies.delete(key);
    return twin;
  };

  const grantsOf = async (token: string): Promise<GrantRow[]> =>
    (await world.query(
      `SELECT id, extract(epoch FROM expires_at)::int AS expires FROM identity.oauth_models
       WHERE kind = 'Grant' AND account_id = $1 ORDER BY created_at`,
      [decodeJwt(token).sub],
    )) as GrantRow[];

  const isDead = async (token: string): Promise<void> => {
    expect(await world.introspect(shop, token)).toEqual({ active: false });
    await until('the gateway refuses the token', async () => (await world.me(token)) === 401);
  };

  it('user’s consent to a client application: revokes wider grants with their tokens when the user narrows it', async () => {
    const browser = await world.user();
    const elsewhere = later(browser);
    const wide = await decide(browser, `${BOTH} offline_access`);
    const narrow = await decide(elsewhere, 'user:read');
    expect((await decide(browser, BOTH, ['user:wallet:read'])).scope).toBe('user:read');
    await isDead(wide.access_token);
    const again = { grant_type: 'refresh_token', refresh_token: wide.refresh_token ?? '' };
    expect(await world.token(shop, again)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await world.introspect(shop, narrow.access_token)).toMatchObject({ active: true });
    const page = await (await browser.open('/portal/connections')).text();
    expect(page).not.toContain('connected wallets');
  });

  it('consent.ended: is published when the last grant of the scope for credentials ends, and not for that of another session', async () => {
    const WRITE = 'user:verifiable-credential:write';
    const wallet = await world.application({ scopes: [WRITE] });
    const ended = () => listUsersOfEvents(world.suite.databaseUrl, 'consent.ended', wallet.clientId);
    const decideAt = async (browser: OAuthBrowser, leaveOut: string[] = []) => {
      const asked = {
        ...request(`user:read ${WRITE} offline_access`, { prompt: 'consent' }),
        client_id: wallet.clientId,
      };
      const back = await world.authorize(browser, asked, 'grant', leaveOut);
      return world.exchange(wallet, back.searchParams.get('code') ?? '');
    };
    const [narrowing, disconnecting] = [await world.user(), await world.user()];
    const wide = await decideAt(narrowing);
    const theirs = await decideAt(disconnecting);
    await decideAt(later(narrowing));
    expect(await ended()).toEqual([]);
    await decideAt(narrowing, [WRITE]);
    expect(await ended()).toEqual([decodeJwt(wide.access_token).sub]);
    const csrf = csrfOf(await (await disconnecting.open('/portal/connections')).text());
    await disconnecting.postForm(`/portal/connections/${wallet.clientId}/revoke`, { csrf });
    expect((await ended()).toSorted()).toEqual(
      [wide, theirs].map(({ access_token }) => decodeJwt(access_token).sub).toSorted(),
    );
  });

  it('consent.ended: is published when the last grant of the scope for credentials expires', async () => {
    const WRITE = 'user:verifiable-credential:write';
    const wallet = await world.application({ scopes: [WRITE] });
    const ended = () => listUsersOfEvents(world.suite.databaseUrl, 'consent.ended', wallet.clientId);
    const code = await world.code(await world.user(), wallet, { scope: `user:read ${WRITE}` });
    const { sub } = decodeJwt((await world.exchange(wallet, code)).access_token);
    expect(await ended()).toEqual([]);
    await world.query(
      `UPDATE identity.oauth_models SET expires_at = now() - interval '2 minutes' WHERE kind = 'Grant' AND account_id = $1`,
      [sub],
    );
    await until('the end of the consent is published', async () => (await ended()).length > 0);
    expect(await ended()).toEqual([sub]);
  });

  it('consent.ended: is not published when twenty further decisions without the scope drop the grant with it', async () => {
    const WRITE = 'user:verifiable-credential:write';
    const wallet = await world.application({ scopes: [WRITE] });
    const browser = await world.user();
    const login = async (at: OAuthBrowser, scope: string) =>
      world.exchange(wallet, await world.code(at, wallet, { scope, prompt: 'consent' }));
    const { sub } = decodeJwt((await login(browser, `user:read ${WRITE}`)).access_token);
    // The oldest grants without live tokens are dropped first.
    await world.query(`DELETE FROM identity.oauth_models WHERE account_id = $1 AND kind = 'AccessToken'`, [
      sub,
    ]);
    await world.query(
      `UPDATE identity.oauth_models SET created_at = created_at - interval '1 hour' WHERE account_id = $1 AND kind = 'Grant'`,
      [sub],
    );
    for (let logins = 0; logins < 20; logins++) await login(later(browser), 'user:read');
    const grants = (await world.query(
      `SELECT payload #>> '{openid,scope}' AS scopes FROM identity.oauth_models
       WHERE account_id = $1 AND client_id = $2 AND kind = 'Grant'`,
      [sub, wallet.clientId],
    )) as { scopes: string }[];
    expect(grants.map(({ scopes }) => scopes)).toEqual(Array.from({ length: 20 }, () => 'user:read'));
    expect(await listUsersOfEvents(world.suite.databaseUrl, 'consent.ended', wallet.clientId)).toEqual([]);
    const csrf = csrfOf(await (await browser.open('/portal/connections')).text());
    await browser.postForm(`/portal/connections/${wallet.clientId}/revoke`, { csrf });
    expect(await listUsersOfEvents(world.suite.databaseUrl, 'consent.ended', wallet.clientId)).toEqual([sub]);
  });

  it('user’s consent to a client application: does not affect other users or applications when narrowed', async () => {
    const [browser, other] = [await world.user(), await world.user()];
    const theirs = await decide(other, BOTH);
    const club = await world.application({ scopes: ['user:wallet:read'] });
    const back = await world.authorize(browser, { ...request(BOTH), client_id: club.clientId });
    const clubs = await world.exchange(club, back.searchParams.get('code') ?? '');
    await decide(browser, BOTH, ['user:wallet:read']);
    for (const { access_token } of [theirs, clubs])
      expect(await world.introspect(shop, access_token)).toMatchObject({ active: true });
  });

  it('user’s consent to a client application: is not narrowed by a request for fewer scopes', async () => {
    const browser = await world.user();
    const wide = await decide(browser, BOTH);
    await decide(browser, 'user:read');
    expect(await world.introspect(shop, wide.access_token)).toMatchObject({ active: true });
  });

  it('user’s consent to a client application: applies to the next session, combined from several decisions', async () => {
    const browser = await world.user();
    await decide(browser, BOTH);
    await decide(browser, 'user:read');
    expect(await silently(browser, BOTH)).toHaveProperty('code');
    expect((await decide(later(browser), BOTH, [], {})).scope).toBe(BOTH);
    await decide(browser, BOTH, ['user:wallet:read']);
    expect((await decide(later(browser), BOTH, [], {})).scope).toBe('user:read');
    expect(await silently(browser, `${BOTH} $public`)).toMatchObject({ error: 'consent_required' });
  });

  it('user’s consent to a client application: overrides an older refusal of the same session and is not copied needlessly', async () => {
    const browser = await world.user();
    const { access_token } = await decide(browser, BOTH, ['user:wallet:read']);
    for (let times = 0; times < 3; times++)
      expect((await decide(browser, BOTH, [], {})).scope).toBe('user:read');
    expect(await grantsOf(access_token)).toHaveLength(1);
    await decide(later(browser), BOTH);
    const made = await grantsOf(access_token);
    for (let times = 0; times < 3; times++) expect((await decide(browser, BOTH, [], {})).scope).toBe(BOTH);
    expect(await grantsOf(access_token)).toHaveLength(made.length + 1);
  });

  it('user’s consent to a client application: expires at its own expiry, also as a copy', async () => {
    const browser = await world.user();
    const { access_token } = await decide(browser, BOTH);
    await world.query(
      `UPDATE identity.oauth_models SET expires_at = now() + interval '100 days',
         payload = jsonb_set(payload, '{exp}', to_jsonb(extract(epoch FROM now() + interval '100 days')::int))
       WHERE kind = 'Grant' AND account_id = $1`,
      [decodeJwt(access_token).sub],
    );
    let session = browser;
    for (let days = 0; days < 3; days++) {
      session = later(session);
      await decide(session, BOTH, [], {});
    }
    const grants = await grantsOf(access_token);
    expect(grants).toHaveLength(4);
    const [first] = grants;
    for (const { expires } of grants)
      expect(Math.abs(expires - (first?.expires ?? 0))).toBeLessThanOrEqual(2);
  });

  it('user’s consent to a client application: can be given only to a request that waits for consent, not for a login', async () => {
    const browser = await world.user();
    const { access_token } = await decide(browser, 'user:read');
    const page = await browser.follow(world.authorizeUrl(request('user:read', { prompt: 'login' })));
    const path = new URL(page.url).pathname;
    expect(path).toMatch(/^\/login\//);
    for (const [key, { value }] of [...browser.cookies])
      if (key.endsWith(`@${path}`)) {
        const other = path.replace('/login/', '/consent/');
        browser.cookies.set(key.replace(path, other), { value, path: other });
      }
    const form = { csrf: csrfOf(await page.response.text()), decision: 'grant', 'scope.user:read': 'on' };
    const answer = await browser.postForm(path.replace('/login/', '/consent/'), form);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    expect(await grantsOf(access_token)).toHaveLength(1);
  });

  it('user’s consent to a client application: is stored a limited number of times, deleting the oldest grants without live tokens first', async () => {
    const browser = await world.user();
    const kept = await decide(browser, `${BOTH} offline_access`);
    const user = decodeJwt(kept.access_token).sub;
    const { 0: original } = await grantsOf(kept.access_token);
    const old = `UPDATE identity.oauth_models SET created_at = created_at - interval '1 hour'
      WHERE kind = 'Grant' AND account_id = $1`;
    for (let days = 0; days < 22; days++) {
      await world.code(later(browser), shop, { scope: 'user:read' });
      await world.query(old, [user]);
      await world.query(
        `DELETE FROM identity.oauth_models WHERE kind = 'AuthorizationCode' AND account_id = $1`,
        [user],
      );
    }
    const grants = await grantsOf(kept.access_token);
    expect(grants).toHaveLength(20);
    expect(grants.map(({ id }) => id)).toContain(original?.id);
    const again = { grant_type: 'refresh_token', refresh_token: kept.refresh_token ?? '' };
    expect(await world.token(shop, again)).toMatchObject({ status: 200 });
  });
});
