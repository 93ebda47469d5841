import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('a grant', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application();
    alice = await world.user();
  });

  const asked = () => ({ response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK });

  it('grant: is revoked with all its tokens by the user and requires consent again', async () => {
    const elsewhere = new OAuthBrowser(world.origin);
    for (const [name, cookie] of alice.cookies)
      if (!name.startsWith('gatehouse_oauth')) elsewhere.cookies.set(name, cookie);
    const first = await world.exchange(
      shop,
      await world.code(alice, shop, { scope: 'user:read offline_access' }),
    );
    const second = await world.exchange(shop, await world.code(elsewhere, shop, { scope: 'user:read' }));
    for (const { access_token } of [first, second]) expect(await world.me(access_token)).toBe(200);
    const page = await (await alice.open('/portal/connections')).text();
    const action = /action="(\/portal\/connections\/[^"]+)"/.exec(page)?.[1];
    expect(action).toBeDefined();
    const done = await alice.postForm(action ?? '', { csrf: csrfOf(page) });
    expect(done.status).toBeLessThan(400);
    for (const { access_token } of [first, second])
      await until('the gateway refuses the token', async () => (await world.me(access_token)) === 401);
    const left = await (await alice.open('/portal/connections')).text();
    expect(left).not.toContain('/portal/connections/');
    const again = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
    expect(await world.token(shop, again)).toMatchObject({ status: 400, error: 'invalid_grant' });
    const next = await alice.follow(world.authorizeUrl({ ...asked(), scope: 'user:read' }));
    expect(new URL(next.url).pathname).toMatch(/^\/consent\//);
  });

  it('grant: is revoked for its own user only', async () => {
    const bob = await world.user();
    const token = await world.exchange(shop, await world.code(bob, shop, { scope: 'user:read' }));
    await world.code(alice, shop, { scope: 'user:read' });
    const page = await (await alice.open('/portal/connections')).text();
    const action = /action="(\/portal\/connections\/[^"]+)"/.exec(page)?.[1] ?? '';
    expect((await alice.postForm(action, { csrf: csrfOf(page) })).status).toBe(303);
    expect(await world.introspect(shop, token.access_token)).toMatchObject({ active: true });
  });

  it('grant: is deleted after its expiry, not before', async () => {
    const code = await world.code(alice, shop, { scope: 'user:read' });
    const { access_token } = await world.exchange(shop, code);
    const { jti } = decodeJwt(access_token);
    const count = async () => {
      const rows = await world.query('SELECT 1 FROM identity.oauth_models WHERE id = $1', [jti]);
      return rows.length;
    };
    expect(await count()).toBe(1);
    await world.query(
      `UPDATE identity.oauth_models SET expires_at = now() - interval '2 min' WHERE id = $1`,
      [jti],
    );
    await until('the expired token is deleted', async () => (await count()) === 0, 90_000);
    const grants = await world.query(`SELECT 1 FROM identity.oauth_models WHERE kind = 'Grant'`);
    expect(grants.length).toBeGreaterThan(0);
  }, 120_000);
});
