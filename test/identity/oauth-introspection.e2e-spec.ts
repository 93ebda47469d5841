import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { answerOf, type Application, basic, OAuthWorld } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('introspection and revocation', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let app: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other, app] = await Promise.all([
      world.application({ scopes: ['token-gating'] }),
      world.application(),
      world.application({ type: 'public' }),
    ]);
    alice = await world.user();
  });

  const userToken = async (scope = 'user:read offline_access') =>
    world.exchange(shop, await world.code(alice, shop, { scope }));
  const revoke = (application: Application, fields: Record<string, string>) =>
    world.post('/oauth2/revoke', fields, { authorization: basic(application) });

  it('introspection and revocation: returns the claims of a token', async () => {
    const { access_token, refresh_token = '' } = await userToken();
    const claims = decodeJwt(access_token);
    expect(await world.introspect(shop, access_token)).toMatchObject({
      active: true,
      sub: claims.sub,
      client_id: shop.clientId,
      scope: 'user:read offline_access',
      exp: claims.exp,
      iat: claims.iat,
      iss: world.origin,
      jti: claims.jti,
      token_type: 'Bearer',
    });
    expect(await world.introspect(shop, refresh_token)).toMatchObject({ active: true, sub: claims.sub });
    const own = await world.token(shop, OWN);
    expect(await world.introspect(other, own.access_token)).toMatchObject({
      active: true,
      client_id: shop.clientId,
    });
  });

  it('introspection and revocation: shows a refresh token to its own client only', async () => {
    const { access_token, refresh_token = '' } = await userToken();
    expect(await world.introspect(other, refresh_token)).toEqual({ active: false });
    expect(await world.introspect(other, access_token)).toMatchObject({ active: true });
    expect(await world.introspect(shop, refresh_token)).toMatchObject({ active: true });
  });

  it('introspection and revocation: reports invalid tokens as inactive', async () => {
    const { access_token } = await userToken();
    const [head = '', body = '', signature = ''] = access_token.split('.');
    const { jti = '' } = decodeJwt(access_token);
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of [
      jti,
      `${none}.${body}.`,
      `${head}.${body}.${'A'.repeat(86)}`,
      `${head}~${body}~${signature}x`,
      'x',
    ])
      expect(await world.introspect(shop, token)).toEqual({ active: false });
    expect(await answerOf(await world.post('/oauth2/introspect', { token: access_token }))).toMatchObject({
      status: 400,
    });
  });

  it('introspection and revocation: allows a public client to introspect its own tokens only', async () => {
    const { access_token } = await userToken();
    const asked = await world.post('/oauth2/introspect', { token: access_token, client_id: app.clientId });
    expect(await answerOf(asked)).toEqual({ status: 200, active: false });
  });

  it('introspection and revocation: revokes an access token everywhere', async () => {
    const { access_token } = await userToken('user:read');
    expect(await world.me(access_token)).toBe(200);
    expect((await revoke(shop, { token: access_token })).status).toBe(200);
    expect(await world.introspect(shop, access_token)).toEqual({ active: false });
    await until('the gateway refuses it', async () => (await world.me(access_token)) === 401);
    expect((await revoke(shop, { token: access_token })).status).toBe(200);
  });

  it('introspection and revocation: revokes a refresh token with its access tokens', async () => {
    const { access_token, refresh_token = '' } = await userToken();
    expect((await revoke(shop, { token: refresh_token, token_type_hint: 'refresh_token' })).status).toBe(200);
    expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject({
      error: 'invalid_grant',
    });
    await until('the gateway refuses it', async () => (await world.me(access_token)) === 401);
  });

  it('introspection and revocation: revokes all tokens of the grant with an access token and keeps the consent', async () => {
    const { access_token, refresh_token = '' } = await userToken();
    const grants = () => world.query(`SELECT id FROM identity.oauth_models WHERE kind = 'Grant' ORDER BY id`);
    const before = await grants();
    expect((await revoke(shop, { token: access_token })).status).toBe(200);
    expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject({
      error: 'invalid_grant',
    });
    expect(before.length).toBeGreaterThan(0);
    expect(await grants()).toEqual(before);
  });

  it('introspection and revocation: revokes a client credentials token', async () => {
    const { access_token } = await world.token(shop, OWN);
    expect((await revoke(shop, { token: access_token })).status).toBe(200);
    expect(await world.introspect(shop, access_token)).toEqual({ active: false });
  });

  it('introspection and revocation: does not revoke tokens of other clients or unknown tokens', async () => {
    const { access_token } = await userToken('user:read');
    expect(await answerOf(await revoke(other, { token: access_token }))).toMatchObject({
      status: 400,
      error: 'invalid_request',
    });
    expect((await revoke(shop, { token: 'what' })).status).toBe(200);
    expect(await world.me(access_token)).toBe(200);
  });
});
