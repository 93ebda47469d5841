import { beforeAll, describe, expect, it } from '@jest/globals';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { type Application, basic, OAuthWorld } from './oauth-world.js';

/** Registered with bytes that a URL parser would change. */
const OUT = 'https://app.example:443/out?from=a%2fb';

describe('RP-initiated logout', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other] = await Promise.all([world.application(), world.application()]);
    await world.query(
      'UPDATE identity.client_applications SET post_logout_redirect_uris = $2 WHERE id = $1',
      [shop.clientId, [OUT]],
    );
  });

  const toQuery = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const isSignedIn = async (browser: OAuthBrowser) => (await browser.open('/portal')).status === 200;

  /** The page that asks. */
  const ask = async (browser: OAuthBrowser, fields: Record<string, string>): Promise<string> => {
    const { response, url } = await browser.follow(`/oauth2/logout?${toQuery(fields)}`);
    expect([response.status, new URL(url).pathname]).toEqual([200, '/logout']);
    return response.text();
  };
  const confirm = async (browser: OAuthBrowser, html: string): Promise<Response> => {
    const hidden = [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]);
    return browser.postForm('/logout', Object.fromEntries(fields) as Record<string, string>);
  };
  const refreshOf = (html: string): string | undefined =>
    /http-equiv="refresh" content="0; ?url=([^"]+)"/i.exec(html)?.[1]?.replaceAll('&amp;', '&');

  it('logout: asks first, ends the session and no grant, and returns to the registered bytes with the state', async () => {
    const alice = await world.user();
    const code = await world.code(alice, shop, { scope: 'openid offline_access user:read' });
    const tokens = await world.exchange(shop, code);
    const fields = { client_id: shop.clientId, post_logout_redirect_uri: OUT, state: 'a b&c' };
    const html = await ask(alice, fields);
    expect(html).toContain('asks you to sign out');
    expect(await isSignedIn(alice)).toBe(true);
    const done = await confirm(alice, html);
    expect(done.status).toBe(200);
    expect(refreshOf(await done.text())).toBe(`${OUT}&state=a%20b%26c`);
    expect(await isSignedIn(alice)).toBe(false);
    const again = await alice.follow(
      world.authorizeUrl({
        response_type: 'code',
        client_id: shop.clientId,
        redirect_uri: 'https://app.example/cb',
      }),
    );
    expect(new URL(again.url).pathname).toMatch(/^\/login\//);
    const refreshed = await world.post(
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
      { authorization: basic(shop) },
    );
    expect(refreshed.status).toBe(200);
  });

  it('logout: knows the application by an id token, and believes no other application', async () => {
    const alice = await world.user();
    const code = await world.code(alice, shop, { scope: 'openid' });
    const hint = (await world.exchange(shop, code)).id_token ?? '';
    const [head = '', body = '', signature = ''] = hint.split('.');
    const forged = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const returns = async (fields: Record<string, string>) =>
      (await ask(alice, { post_logout_redirect_uri: OUT, ...fields })).includes(
        'name="post_logout_redirect_uri"',
      );
    expect(await returns({ id_token_hint: hint })).toBe(true);
    expect(await returns({ id_token_hint: hint, client_id: shop.clientId })).toBe(true);
    const strange: Record<string, string>[] = [
      {},
      { id_token_hint: hint, client_id: other.clientId },
      { id_token_hint: forged },
      { id_token_hint: 'no token' },
      { id_token_hint: forged, client_id: shop.clientId },
      { client_id: other.clientId },
      { client_id: 'client_of_nobody' },
    ];
    for (const fields of strange) expect([fields, await returns(fields)]).toEqual([fields, false]);
    expect(await isSignedIn(alice)).toBe(true);
  });

  it.each([
    'https://app.example/out?from=a%2fb',
    'https://app.example:443/out?from=a%2Fb',
    `${OUT}&x=1`,
    'https://evil.example/',
    'javascript:alert(1)',
  ])('T254: logout: does not return to %s, and signs out nevertheless', async (uri) => {
    const alice = await world.user();
    const html = await ask(alice, { client_id: shop.clientId, post_logout_redirect_uri: uri });
    expect(html).not.toContain(uri.replaceAll('&', '&amp;'));
    const forged = await alice.postForm('/logout', {
      csrf: csrfOf(html),
      client_id: shop.clientId,
      post_logout_redirect_uri: uri,
    });
    expect([forged.status, forged.headers.get('location')]).toEqual([303, '/login/signed-out']);
    expect(await isSignedIn(alice)).toBe(false);
  });

  it.each<[string, number | null, string | undefined]>([
    ['approved', 1, 'Your Bank'],
    // The owner wants another name, which waits.
    ['pending', 1, 'Your Bank'],
    ['rejected', 1, 'Your Bank'],
    // Needs no approval for what it does.
    ['approved', null, 'not reviewed'],
    ['pending', null, undefined],
    ['rejected', null, undefined],
  ])(
    'T254: logout: of an application that is %s and was reviewed at revision %s, leads back and says: %s',
    async (status, reviewed, shown) => {
      const app = await world.application();
      await world.query(
        `UPDATE identity.client_applications
         SET post_logout_redirect_uris = $2, name = 'Your Bank', status = $3, reviewed_revision = $4 WHERE id = $1`,
        [app.clientId, [OUT], status, reviewed],
      );
      const alice = await world.user();
      const fields = { client_id: app.clientId, post_logout_redirect_uri: OUT };
      const html = await ask(alice, fields);
      const texts = ['Your Bank', 'not reviewed', 'app.example'].map((text) => html.includes(text));
      expect(texts).toEqual([shown === 'Your Bank', shown === 'not reviewed', shown !== undefined]);
      const done = await alice.postForm('/logout', { csrf: csrfOf(html), ...fields });
      expect([done.status, refreshOf(await done.text())]).toEqual(
        shown === undefined ? [303, undefined] : [200, OUT],
      );
      expect(await isSignedIn(alice)).toBe(false);
    },
  );

  it('T254: logout by POST: leads to the page, from other sites too, and signs nobody out by itself', async () => {
    const alice = await world.user();
    const body = toQuery({ client_id: shop.clientId, post_logout_redirect_uri: OUT, foo: 'x' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://app.example' };
    const send = (text: string) =>
      fetch(`${world.origin}/oauth2/logout`, { method: 'POST', headers, body: text, redirect: 'manual' });
    const response = await send(body);
    const location = response.headers.get('location') ?? '';
    expect([response.status, location]).toEqual([
      303,
      `${world.origin}/logout?${toQuery({ client_id: shop.clientId, post_logout_redirect_uri: OUT })}`,
    ]);
    expect(await (await alice.open(location)).text()).toContain('asks you to sign out');
    expect((await send(`state=${'x'.repeat(8_200)}`)).status).toBe(413);
    expect((await alice.postForm('/logout', { csrf: 'wrong' })).status).toBe(403);
    expect(await isSignedIn(alice)).toBe(true);
  });

  it('logout: shows its page to nobody in particular, with repeated parameters ignored', async () => {
    const browser = new OAuthBrowser(world.origin);
    const twice = `client_id=${shop.clientId}&client_id=${shop.clientId}&post_logout_redirect_uri=${encodeURIComponent(OUT)}`;
    const { response } = await browser.follow(`/oauth2/logout?${twice}`);
    expect(await response.text()).not.toContain('post_logout_redirect_uri');
    expect(await ask(browser, {})).toContain('Sign out');
  });
});
