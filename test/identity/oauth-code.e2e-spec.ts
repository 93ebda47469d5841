import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld, proofKey, type TokenAnswer } from './oauth-world.js';

const LOOPBACK = 'http://localhost:3000/cb';

describe('the authorization code flow', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let app: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other, app] = await Promise.all([
      world.application({ scopes: ['user:wallet:read', 'token-gating'] }),
      world.application(),
      world.application({ type: 'public', redirectUris: [CALLBACK, LOOPBACK] }),
    ]);
    alice = await world.user();
  });

  const isDead = async (token: string): Promise<void> => {
    expect(await world.introspect(shop, token)).toEqual({ active: false });
    await until('the gateway refuses the token', async () => (await world.me(token)) === 401);
  };

  const REFUSED = { status: 400, error: 'invalid_grant' };

  it('authorization code flow: issues a token with the granted scopes', async () => {
    const scope = 'user:read user:wallet:read';
    const asked = { response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK, scope };
    const back = await world.authorize(alice, { ...asked, state: 'a b/ü&=#%41' });
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect(back.searchParams.get('state')).toBe('a b/ü&=#%41');
    expect(back.searchParams.get('iss')).toBe(world.origin);
    const answer = await world.exchange(shop, back.searchParams.get('code') ?? '');
    expect(answer).toEqual({
      status: 200,
      access_token: answer.access_token,
      token_type: 'Bearer',
      expires_in: 3_600,
      scope,
    });
    expect(decodeProtectedHeader(answer.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    const claims = decodeJwt(answer.access_token);
    expect(claims).toMatchObject({ iss: world.origin, aud: world.origin, client_id: shop.clientId, scope });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3_600);
    expect(Math.abs(Number(claims['auth_time']) - Date.now() / 1_000)).toBeLessThan(300);
    expect(await world.me(answer.access_token)).toBe(200);
  });

  it('T59: authorization code flow: redirects a native application to its own URI scheme, after consent every time', async () => {
    const redirect_uri = 'com.example.shop:/cb';
    const native = await world.application({ type: 'public', redirectUris: [redirect_uri] });
    const bob = await world.user();
    for (let time = 0; time < 2; time += 1) {
      const { verifier, challenge } = proofKey();
      const asked = { response_type: 'code', client_id: native.clientId, redirect_uri, scope: 'user:read' };
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' };
      const page = await bob.follow(world.authorizeUrl({ ...asked, ...proof }));
      expect(await page.response.text()).toContain('com.example.shop');
      const back = await world.authorize(bob, { ...asked, ...proof });
      expect(back.protocol + back.pathname).toBe(redirect_uri);
      const code = back.searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
      const response = await world.post('/oauth2/token', { client_id: native.clientId, ...form });
      expect(response.status).toBe(200);
      const other = await bob.follow(
        world.authorizeUrl({ ...asked, ...proof, redirect_uri: `${redirect_uri}/x` }),
      );
      expect([other.location, other.response.status]).toEqual([undefined, 400]);
    }
    await expect(world.application({ redirectUris: [redirect_uri] })).rejects.toThrow();
  });

  it('authorization code flow: grants only selected and approved scopes', async () => {
    const bob = await world.user();
    const asked = { response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK };
    const scope = 'user:read user:wallet:read token-gating';
    const back = await world.authorize(bob, { ...asked, scope }, 'grant', ['user:wallet:read']);
    const answer = await world.exchange(shop, back.searchParams.get('code') ?? '');
    expect(answer.scope?.split(' ').sort()).toEqual(['token-gating', 'user:read']);
    const more = await world.authorize(bob, { ...asked, scope: 'user:wallet:write', state: 's' });
    expect(Object.fromEntries(more.searchParams)).toMatchObject({ error: 'invalid_scope', state: 's' });
  });

  it('authorization code flow: remembers the consent to a confidential client in later sessions', async () => {
    const bob = await world.user();
    await world.code(bob, shop, { scope: 'user:read' });
    const page = await bob.follow(
      world.authorizeUrl({
        response_type: 'code',
        client_id: shop.clientId,
        redirect_uri: CALLBACK,
        scope: 'user:read',
      }),
    );
    expect(page.location).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    for (const key of [...bob.cookies.keys()]) if (key.startsWith('gatehouse_oauth')) bob.cookies.delete(key);
    const later = await bob.follow(
      world.authorizeUrl({
        response_type: 'code',
        client_id: shop.clientId,
        redirect_uri: CALLBACK,
        scope: 'user:read',
      }),
    );
    expect(later.location).toMatch(/^https:\/\/app\.example\/cb\?code=/);
  });

  it('authorization code flow: requires consent every time for a public client on loopback', async () => {
    const bob = await world.user();
    const { challenge } = proofKey();
    const request = world.authorizeUrl({
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: 'http://127.0.0.1:5000/cb/done',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const back = await world.authorize(bob, Object.fromEntries(new URL(request).searchParams));
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:5000\/cb\/done\?code=/);
    expect(new URL((await bob.follow(request)).url).pathname).toMatch(/^\/consent\//);
  });

  describe('a replayed code', () => {
    it('authorization code flow, replayed code: revokes its tokens immediately', async () => {
      const code = await world.code(alice, shop, { scope: 'user:read' });
      const first = await world.exchange(shop, code);
      expect(first.status).toBe(200);
      expect(await world.exchange(shop, code)).toMatchObject(REFUSED);
      await isDead(first.access_token);
    });

    it('authorization code flow, replayed code: revokes its tokens a second later, including the refresh token', async () => {
      const code = await world.code(alice, shop, { scope: 'user:read offline_access' });
      const first = await world.exchange(shop, code);
      const { access_token, refresh_token = '' } = first;
      expect(await world.me(access_token)).toBe(200);
      await sleep(1_000);
      expect(await world.exchange(shop, code)).toMatchObject(REFUSED);
      await isDead(access_token);
      expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject(REFUSED);
    });

    it.each([1, 2, 3])(
      'authorization code flow, replayed code: succeeds for one of ten concurrent requests and revokes its token (%#)',
      async () => {
        const code = await world.code(alice, shop, { scope: 'user:read offline_access' });
        const answers = await Promise.all(Array.from({ length: 10 }, () => world.exchange(shop, code)));
        const given = answers.filter(({ status }) => status === 200);
        expect(given).toHaveLength(1);
        const refused = answers.filter(({ error }) => error === 'invalid_grant');
        expect(refused).toHaveLength(9);
        const [{ access_token, refresh_token = '' }] = given as [TokenAnswer];
        await isDead(access_token);
        expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject(
          REFUSED,
        );
      },
    );
  });

  it('authorization code flow: issues only revoked tokens if the grant is revoked meanwhile', async () => {
    const bob = await world.user();
    const code = await world.code(bob, shop, { scope: 'user:read offline_access' });
    const other = new pg.Client({ connectionString: world.suite.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(
        `DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id IN (
           SELECT grant_id FROM identity.oauth_models WHERE kind = 'AuthorizationCode' AND consumed_at IS NULL)`,
      );
      const exchange = world.exchange(shop, code);
      await until('the exchange waits for what becomes of its grant', async () => {
        const waiting = await world.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR KEY SHARE%'`,
        );
        return waiting.length > 0;
      });
      await other.query('COMMIT');
      const { status, access_token, refresh_token = '' } = await exchange;
      expect(status).toBe(200);
      await isDead(access_token);
      expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject(REFUSED);
    } finally {
      await other.end();
    }
  });

  it.each([
    ['another redirect_uri', () => ({ redirect_uri: `${CALLBACK}/` })],
    ['no redirect_uri', () => ({ redirect_uri: '' })],
    ['a verifier where no challenge was', () => ({ code_verifier: proofKey().verifier })],
  ])('authorization code flow: refuses a code with %s', async (_, more) => {
    const code = await world.code(alice, shop, { scope: 'user:read' });
    const answer = await world.exchange(shop, code, more());
    expect(answer.status).toBe(400);
    expect(answer.error).toMatch(/^invalid_(?:grant|request)$/);
    // The failed attempt did not consume the code.
    expect((await world.exchange(shop, code)).status).toBe(200);
  });

  it('authorization code flow: refuses a code of another client, an expired code and an unknown code', async () => {
    const code = await world.code(alice, shop, { scope: 'user:read' });
    expect(await world.exchange(other, code)).toMatchObject(REFUSED);
    await world.query(
      `UPDATE identity.oauth_models SET payload = jsonb_set(payload, '{exp}', to_jsonb(extract(epoch FROM now())::int - 1))
       WHERE kind = 'AuthorizationCode'`,
    );
    expect(await world.exchange(shop, code)).toMatchObject(REFUSED);
    expect(await world.exchange(shop, `${code.slice(0, -1)}_`)).toMatchObject(REFUSED);
    expect(await world.exchange(shop, '')).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  describe('PKCE', () => {
    const ask = (more: Record<string, string>) =>
      world.authorize(alice, {
        response_type: 'code',
        client_id: app.clientId,
        redirect_uri: CALLBACK,
        state: 's',
        ...more,
      });

    const spend = (fields: Record<string, string>) =>
      world.post('/oauth2/token', {
        grant_type: 'authorization_code',
        client_id: app.clientId,
        redirect_uri: CALLBACK,
        ...fields,
      });

    it('authorization code flow, PKCE: authenticates a public client', async () => {
      const { verifier, challenge } = proofKey();
      const back = await ask({ code_challenge: challenge, code_challenge_method: 'S256' });
      const code = back.searchParams.get('code') ?? '';
      const missing = await spend({ code });
      expect([missing.status, await missing.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      const wrong = await spend({ code, code_verifier: proofKey().verifier });
      expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      const short = await spend({ code, code_verifier: 'short' });
      expect([short.status, await short.json()]).toMatchObject([400, { error: 'invalid_request' }]);
      const plain = await spend({ code, code_verifier: challenge });
      expect([plain.status, await plain.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      const right = await spend({ code, code_verifier: verifier });
      expect([right.status, await right.json()]).toMatchObject([200, { token_type: 'Bearer' }]);
    });

    it.each([
      ['missing', {}],
      ['plain', { code_challenge: proofKey().verifier, code_challenge_method: 'plain' }],
      ['without its method', { code_challenge: proofKey().challenge }],
      ['a method without it', { code_challenge_method: 'S256' }],
      ['too short', { code_challenge: 'abc', code_challenge_method: 'S256' }],
      ['in lower case', { code_challenge: proofKey().challenge, code_challenge_method: 's256' }],
    ])(
      'authorization code flow, PKCE: refuses a public client with a challenge that is %s',
      async (_, more: Record<string, string>) => {
        const back = await ask(more);
        expect(Object.fromEntries(back.searchParams)).toMatchObject({
          error: 'invalid_request',
          state: 's',
          iss: world.origin,
        });
      },
    );

    it('authorization code flow, PKCE: is enforced for a confidential client that started with it', async () => {
      const { verifier, challenge } = proofKey();
      const begun = { scope: 'user:read', code_challenge: challenge, code_challenge_method: 'S256' };
      const code = await world.code(alice, shop, begun);
      expect(await world.exchange(shop, code)).toMatchObject(REFUSED);
      expect((await world.exchange(shop, code, { code_verifier: verifier })).status).toBe(200);
    });
  });

  it('authorization code flow: stores no usable codes or tokens in the database or logs', async () => {
    const asked = { scope: 'openid user:read offline_access', state: 'state-that-is-mine' };
    const code = await world.code(alice, shop, asked);
    const { access_token, refresh_token = '', id_token = '' } = await world.exchange(shop, code);
    const unused = await world.code(alice, shop, asked);
    const cookies = [...alice.cookies.values()].map(({ value }) => value);
    const secrets = [code, unused, refresh_token, access_token, id_token, shop.clientSecret, ...cookies];
    const rows = JSON.stringify(await world.query('SELECT * FROM identity.oauth_models'));
    const logs = ['identity', 'gateway'].flatMap((name) => world.suite.app(name).logLines).join('\n');
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      expect(rows).not.toContain(secret);
      expect(logs).not.toContain(secret);
    }
    expect(logs).not.toContain('state-that-is-mine');
  });
});
