import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, OAuthWorld } from './oauth-world.js';

describe('claims about a user', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application();
    alice = await world.user();
  });

  const tokenFor = async (scope: string) =>
    (await world.exchange(shop, await world.code(alice, shop, { scope, prompt: 'consent' }))).access_token;

  const ask = (init: RequestInit, token?: string) =>
    fetch(`${world.origin}/oauth2/userinfo`, {
      ...init,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });

  it.each<[string, RequestInit]>([
    ['GET', { method: 'GET' }],
    ['POST', { method: 'POST' }],
    ['POST with a form', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }],
  ])('are returned for %s', async (_, init) => {
    const token = await tokenFor('openid user:read');
    const response = await ask(init, token);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sub: decodeJwt(token).sub });
  });

  it('require a token in the header with the scope openid', async () => {
    const token = await tokenFor('openid');
    for (const method of ['GET', 'POST']) {
      const nobody = await ask({ method });
      expect(nobody.status).toBe(401);
      expect(nobody.headers.get('www-authenticate')).toContain('Bearer');
      expect((await ask({ method }, await tokenFor('user:read'))).status).toBe(403);
    }
    const inBody = { method: 'POST', body: new URLSearchParams({ access_token: token }) };
    expect((await ask(inBody)).status).toBe(401);
  });
});
