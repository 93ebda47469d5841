import { beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { decodeJwt } from 'jose';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { blockSessionSaves } from './blocked-session-saves.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('the user of an authorization', () => {
  let world: OAuthWorld;
  let shop: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application();
  });

  const newWallet = () => privateKeyToAccount(generatePrivateKey());
  const idOf = ({ address }: { address: string }) => deriveUserId('ethereum', address.toLowerCase());

  const request = (more: Record<string, string> = {}) => ({
    response_type: 'code',
    client_id: shop.clientId,
    redirect_uri: CALLBACK,
    scope: 'user:read',
    ...more,
  });

  /** The subject of the token that the application receives for the browser's user. */
  async function seenAs(browser: OAuthBrowser, more: Record<string, string> = {}): Promise<unknown> {
    const back = await world.authorize(browser, request(more));
    const answer = await world.exchange(shop, back.searchParams.get('code') ?? '');
    return decodeJwt(answer.access_token).sub;
  }

  const silently = async (browser: OAuthBrowser) => {
    const { location = '' } = await browser.follow(world.authorizeUrl(request({ prompt: 'none' })));
    return Object.fromEntries(new URL(location).searchParams);
  };

  const pathAfter = async (browser: OAuthBrowser) => {
    const { url } = await browser.follow(world.authorizeUrl(request()));
    return new URL(url).pathname;
  };

  /** A user for whom the application has already received codes. */
  async function known(): Promise<OAuthBrowser> {
    const browser = await world.user();
    expect(await seenAs(browser)).toBe(idOf(browser.wallet));
    expect(await silently(browser)).toHaveProperty('code');
    return browser;
  }

  const forgetAllBut = (browser: OAuthBrowser, cookie: RegExp) => {
    for (const key of [...browser.cookies.keys()]) if (!cookie.test(key)) browser.cookies.delete(key);
  };

  it('user of an authorization: is the second user after a login without a logout of the first', async () => {
    const browser = await known();
    const second = newWallet();
    await browser.signIn('/login?again=yes', second);
    const left = `SELECT 1 FROM identity.oauth_models WHERE kind = 'Session' AND account_id = $1`;
    expect(await world.query(left, [idOf(browser.wallet)])).toEqual([]);
    expect(await silently(browser)).toMatchObject({ error: 'login_required' });
    expect(await seenAs(browser)).toBe(idOf(second));
    await browser.signIn('/login?again=yes');
    expect(await seenAs(browser)).toBe(idOf(browser.wallet));
  });

  it('user of an authorization: is the user of the browser session, not of oidc-provider’s session', async () => {
    const former = await known();
    const browser = await world.user();
    for (const [key, cookie] of former.cookies)
      if (key.startsWith('gatehouse_oauth')) browser.cookies.set(key, cookie);
    expect(await silently(browser)).toMatchObject({ error: 'login_required' });
    expect(await seenAs(browser)).toBe(idOf(browser.wallet));
  });

  it.each([
    ['nothing was done for long', `seen_at = seen_at - interval '121 minutes'`],
    ['the session has lasted for a day', 'expires_at = now()'],
  ])('user of an authorization: is undefined when %s', async (_, change) => {
    const browser = await known();
    await world.query(`UPDATE identity.browser_sessions SET ${change} WHERE user_id = $1`, [
      idOf(browser.wallet),
    ]);
    expect(await silently(browser)).toMatchObject({ error: 'login_required' });
    expect(await pathAfter(browser)).toMatch(/^\/login\//);
  });

  it.each([
    ['whose session has ended', `UPDATE identity.browser_sessions SET expires_at = now() WHERE user_id = $1`],
    ['who is signed in still', `SELECT $1::text`],
  ])('user of an authorization: is the user who signs in for it, after another %s', async (_, change) => {
    const browser = await known();
    await world.query(change, [idOf(browser.wallet)]);
    const { url } = await browser.follow(world.authorizeUrl(request({ prompt: 'login' })));
    const second = newWallet();
    await browser.signIn(new URL(url).pathname, second);
    const { pathname } = new URL((await browser.follow(url)).url);
    expect(pathname).toMatch(/^\/consent\//);
    expect(await seenAs(browser)).toBe(idOf(second));
  });

  it('user of an authorization: is undefined after a logout, also of another copy of the session', async () => {
    const browser = await known();
    const copy = browser.twin();
    forgetAllBut(copy, /gatehouse_session/);
    const csrf = csrfOf(await (await copy.open('/portal')).text());
    expect((await copy.postForm('/logout', { csrf })).status).toBe(303);
    expect(await silently(browser)).toMatchObject({ error: 'login_required' });
    expect(await pathAfter(browser)).toMatch(/^\/login\//);
  });

  it('user of an authorization: is undefined with oidc-provider’s cookies alone', async () => {
    const browser = await known();
    forgetAllBut(browser, /gatehouse_oauth/);
    expect(await silently(browser)).toMatchObject({ error: 'login_required' });
    expect(await pathAfter(browser)).toMatch(/^\/login\//);
  });

  describe('in two tabs', () => {
    /** The path of a login page, which may redirect immediately. */
    const atLogin = async (browser: OAuthBrowser) => {
      const { headers } = await browser.open(world.authorizeUrl(request()));
      const path = headers.get('location') ?? '';
      expect(path).toMatch(/^\/login\//);
      return path;
    };

    /** Continues after a login, with consent if required. @returns the subject of the code */
    async function finish(browser: OAuthBrowser, path: string): Promise<unknown> {
      const page = await browser.follow(path);
      let { location } = page;
      if (location === undefined) {
        const form = { csrf: csrfOf(await page.response.text()), decision: 'grant', 'scope.user:read': 'on' };
        const init = { method: 'POST', body: new URLSearchParams(form) };
        ({ location } = await browser.follow(new URL(page.url).pathname, init));
      }
      const code = new URL(location ?? '').searchParams.get('code') ?? '';
      return decodeJwt((await world.exchange(shop, code)).access_token).sub;
    }

    it('user of an authorization, in two tabs: is the user who signs in in each tab', async () => {
      const browser = new OAuthBrowser(world.origin);
      const [one, two] = [await atLogin(browser), await atLogin(browser)];
      await browser.signIn(one);
      expect(await finish(browser, one)).toBe(idOf(browser.wallet));
      const second = newWallet();
      await browser.signIn('/login?again=yes', second);
      expect(await finish(browser, two)).toBe(idOf(second));
    });

    it('user of an authorization, in two tabs: cannot be decided by another user', async () => {
      const browser = await world.user();
      const page = await browser.follow(world.authorizeUrl(request({ prompt: 'consent' })));
      const html = await page.response.text();
      await browser.signIn('/login?again=yes', newWallet());
      const form = { csrf: csrfOf(html), decision: 'grant', 'scope.user:read': 'on' };
      expect((await browser.postForm(new URL(page.url).pathname, form)).status).toBe(403);
      const csrf = csrfOf(await (await browser.open('/portal')).text());
      expect((await browser.postForm(new URL(page.url).pathname, { ...form, csrf })).status).toBe(400);
    });

    it('user of an authorization, in two tabs: is the new user after a login between the decision and its redirect', async () => {
      const browser = await world.user();
      const page = await browser.follow(world.authorizeUrl(request({ prompt: 'consent' })));
      const html = await page.response.text();
      const form = { csrf: csrfOf(html), decision: 'grant', 'scope.user:read': 'on' };
      const decided = await browser.postForm(new URL(page.url).pathname, form);
      const resume = /url=([^"]+)"/.exec(await decided.text())?.[1] ?? '';
      const second = newWallet();
      await browser.signIn('/login?again=yes', second);
      expect(await finish(browser, resume)).toBe(idOf(second));
    });

    it('user of an authorization, in two tabs: is the second user after a late request of the first', async () => {
      const browser = await known();
      const { url } = await browser.follow(world.authorizeUrl(request({ prompt: 'login' })));
      const path = new URL(url).pathname;
      // The session adapter writes an extended expiry only occasionally.
      await world.query(
        `UPDATE identity.oauth_models SET payload = jsonb_set(payload, '{exp}', to_jsonb((payload->>'exp')::int - 700))
         WHERE kind = 'Session' AND account_id = $1`,
        [idOf(browser.wallet)],
      );
      const saves = await blockSessionSaves(world.suite.databaseUrl);
      const late = silently(browser.twin());
      await saves.waiting();
      const second = newWallet();
      await browser.signIn(path, second);
      const resume = (await browser.open(path)).headers.get('location') ?? '';
      await saves.release();
      await late;
      expect(await finish(browser, resume)).toBe(idOf(second));
    });

    it('user of an authorization, in two tabs: completes in all tabs at once', async () => {
      const browser = await known();
      await browser.signIn('/login?again=yes', newWallet());
      await browser.signIn('/login?again=yes');
      const paths: string[] = [];
      for (let tabs = 0; tabs < 8; tabs++) paths.push(await atLogin(browser));
      const ends = await Promise.all(paths.map((path) => browser.twin().follow(path)));
      for (const { location } of ends) expect(location).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    });
  });
});
