import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('id tokens', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.start();
    shop = await world.application();
    alice = await world.user();
  });

  afterAll(async () => {
    const exits = await world.stop();
    expect(exits['identity']).toBe(0);
  });

  const idToken = async () => {
    const answer = await world.exchange(shop, await world.code(alice, shop, { scope: 'openid', nonce: 'n' }));
    return String(answer.id_token);
  };
  const published = async () => {
    const response = await fetch(`${world.origin}/.well-known/jwks.json`);
    return ((await response.json()) as { keys: { kid: string; alg: string }[] }).keys;
  };
  const kidOf = (jwt: string) =>
    (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

  /** The result of a prompt=none request with an id_token_hint. */
  const hinted = async (hint: string) => {
    const asked = { response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK, state: 's' };
    const silent = { prompt: 'none', scope: 'openid', id_token_hint: hint };
    const response = await alice.open(world.authorizeUrl({ ...asked, ...silent }));
    expect(response.status).toBe(303);
    return Object.fromEntries(new URL(response.headers.get('location') ?? '').searchParams);
  };

  it.each(['x', 'a.b.c', `${'A'.repeat(40)}.e30.${'A'.repeat(86)}`])(
    'are not what somebody made up: %j',
    async (hint) => {
      expect(await hinted(hint)).toMatchObject({ error: 'invalid_request', state: 's' });
    },
  );

  it('id tokens of another user as a hint: lead to a login', async () => {
    const bob = await world.user();
    const code = await world.code(bob, shop, { scope: 'openid' });
    const { id_token: bobs = '' } = await world.exchange(shop, code);
    expect(await hinted(bobs)).toMatchObject({ error: 'login_required', state: 's' });
  });

  it('id tokens: are signed by a new key after a rotation, without a restart', async () => {
    const before = await idToken();
    expect((await published()).map(({ kid }) => kid)).toContain(kidOf(before));
    expect(decodeJwt(before)).toMatchObject({ iss: world.origin, aud: shop.clientId, nonce: 'n' });
    await world.query(`DELETE FROM identity.token_keys WHERE use LIKE 'id-%'`);
    let after = before;
    await until('another key signs', async () => kidOf((after = await idToken())) !== kidOf(before));
    expect((await published()).find(({ kid }) => kid === kidOf(after))).toMatchObject({ alg: 'RS256' });
    expect(await hinted(after)).toHaveProperty('code');
    expect(await hinted(before)).toMatchObject({ error: 'invalid_request', state: 's' });
  });
});
