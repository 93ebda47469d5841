import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, OAuthWorld } from './oauth-world.js';

const PROFILE_CLAIMS = ['sub', 'name', 'preferred_username', 'picture', 'wallets'];

describe('claims about a user', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application({ scopes: ['user:wallet:read'] });
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
  ])('claims about a user: are returned for %s', async (_, init) => {
    const token = await tokenFor('openid user:read');
    const response = await ask(init, token);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sub: decodeJwt(token).sub });
  });

  it('claims about a user: require a token in the header with the scope openid', async () => {
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

  it('userinfo and id tokens: carry what the scopes permit, and discovery lists no other claims', async () => {
    const ben = await world.user();
    const tokensFor = async (scope: string) =>
      world.exchange(shop, await world.code(ben, shop, { scope, prompt: 'consent' }));
    const claimsOf = async (scope: string) => {
      const { access_token, id_token = '' } = await tokensFor(scope);
      const answer = (await (await ask({ method: 'GET' }, access_token)).json()) as Record<string, unknown>;
      const claims = decodeJwt(id_token);
      const listed = PROFILE_CLAIMS.filter((name) => name in claims);
      expect(Object.fromEntries(listed.map((name) => [name, claims[name]]))).toEqual(answer);
      return answer;
    };
    const { sub } = await claimsOf('openid');
    const account = `eip155:1:${ben.wallet.address}`;
    const short = `${account.slice(9, 15)}…${account.slice(-4)}`;
    expect(await claimsOf('openid')).toEqual({ sub });
    expect(await claimsOf('openid user:read')).toEqual({ sub, preferred_username: short });
    const set = `UPDATE identity.users SET name = 'Ben', username = 'ben', picture = 'https://ben.example/' WHERE id = $1`;
    await world.query(set, [sub]);
    const profile = { name: 'Ben', preferred_username: 'ben', picture: 'https://ben.example/' };
    expect(await claimsOf('openid user:read')).toEqual({ sub, ...profile });
    expect(await claimsOf('openid user:wallet:read')).toEqual({ sub, wallets: [account] });
    expect(await claimsOf('openid user:read user:wallet:read')).toEqual({
      sub,
      ...profile,
      wallets: [account],
    });
    const discovery = await fetch(`${world.origin}/.well-known/openid-configuration`);
    const { claims_supported } = (await discovery.json()) as { claims_supported: string[] };
    expect([...claims_supported].sort()).toEqual(['auth_time', 'iss', ...PROFILE_CLAIMS].sort());
  });
});
