import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { until } from '../support/until.js';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, basic, OAuthWorld } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('the endpoints of client applications', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let app: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.start();
    [shop, other, app] = await Promise.all([
      world.application({ scopes: ['token-gating', 'community:read', 'user:wallet:read'] }),
      world.application(),
      world.application({ type: 'public' }),
    ]);
    alice = await world.user();
  }, 60_000);

  afterAll(async () => {
    const exits = await world.stop();
    expect(exits['identity']).toBe(0);
  });

  const answerOf = async (response: Response): Promise<Record<string, unknown>> => ({
    status: response.status,
    ...((await response.json()) as object),
  });

  const token = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    answerOf(await world.post('/oauth2/token', fields, headers));

  const credentials = ({ clientId, clientSecret }: Application) => ({
    client_id: clientId,
    client_secret: clientSecret,
  });

  describe('client credentials', () => {
    it('give a token of the application’s own, for what was approved', async () => {
      const answer = await world.token(shop, { ...OWN, scope: 'token-gating' });
      expect(answer).toMatchObject({ status: 200, scope: 'token-gating', expires_in: 3_600 });
      expect(answer.refresh_token).toBeUndefined();
      expect(decodeJwt(answer.access_token)).toMatchObject({
        sub: `client:${shop.clientId}`,
        client_id: shop.clientId,
        iss: world.origin,
        aud: world.origin,
        scope: 'token-gating',
      });
    });

    it('give all that was approved and is no user’s when nothing is named', async () => {
      expect((await world.token(shop, OWN)).scope?.split(' ').sort()).toEqual([
        'community:read',
        'token-gating',
      ]);
      expect(await world.token(other, OWN)).toMatchObject({ status: 200, scope: '' });
    });

    it.each([
      'user:wallet:read',
      'user:read',
      'openid',
      'offline_access',
      '$public',
      'accountkit',
      'operator',
      'x',
    ])('give no %s', async (scope) => {
      expect(await world.token(shop, { ...OWN, scope: `token-gating ${scope}` })).toMatchObject({
        status: 400,
        error: 'invalid_scope',
      });
    });

    it('give nothing to a public client', async () => {
      const answer = await token({ ...OWN, client_id: app.clientId });
      expect(answer).toMatchObject({ status: 400 });
      expect(answer['access_token']).toBeUndefined();
    });
  });

  describe('a client application', () => {
    it('names itself by Basic or in the body', async () => {
      expect((await token(OWN, { authorization: basic(shop) })).status).toBe(200);
      expect((await token({ ...OWN, ...credentials(shop) })).status).toBe(200);
      expect((await token({ ...OWN, client_id: shop.clientId }, { authorization: basic(shop) })).status).toBe(
        200,
      );
    });

    it('may percent-encode what it says by Basic', async () => {
      const encoded = (text: string) =>
        text
          .split('')
          .map((one) => `%${one.charCodeAt(0).toString(16)}`)
          .join('');
      const pair = `${encoded(shop.clientId)}:${encoded(shop.clientSecret)}`;
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      expect((await token(OWN, { authorization })).status).toBe(200);
    });

    const says = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

    it.each([
      ['a wrong secret', () => says(`${shop.clientId}:${shop.clientSecret}x`), 401],
      ['another’s secret', () => says(`${shop.clientId}:${other.clientSecret}`), 401],
      ['an unknown name', () => says(`client_nobody:${shop.clientSecret}`), 401],
      ['an empty secret', () => says(`${shop.clientId}:`), 400],
      ['no colon', () => says(shop.clientId), 400],
      ['nothing', () => says(''), 400],
      ['a broken escape', () => says(`${shop.clientId}:%zz`), 400],
      ['an API key as its secret', () => says(`${shop.clientId}:${shop.apiKey}`), 401],
      ['a secret although it is public', () => says(`${app.clientId}:${shop.clientSecret}`), 401],
      ['a bearer token', () => ({ authorization: 'Bearer abc' }), 400],
      ['no base64', () => ({ authorization: 'Basic %%%' }), 400],
    ])('is not let in with %s', async (_, headers, status) => {
      const answer = await token(OWN, headers());
      expect(answer.status).toBe(status);
      expect(answer).toMatchObject({ error: status === 401 ? 'invalid_client' : 'invalid_request' });
    });

    it('hears which scheme is meant', async () => {
      const response = await world.post('/oauth2/token', OWN, says(`${shop.clientId}:wrong`));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    });

    it('names itself once', async () => {
      const twice = await token({ ...OWN, ...credentials(shop) }, { authorization: basic(shop) });
      expect(twice).toMatchObject({ status: 400, error: 'invalid_request' });
      const two = await token({ ...OWN, client_id: other.clientId }, { authorization: basic(shop) });
      expect(two).toMatchObject({ status: 400, error: 'invalid_request' });
      expect(await token({ ...OWN, client_id: shop.clientId })).toMatchObject({ status: 401 });
      expect(await token({ ...OWN, client_id: shop.clientId, client_secret: '' })).toMatchObject({
        status: 401,
      });
      expect(await token(OWN)).toMatchObject({ status: 400, error: 'invalid_request' });
    });

    it('has two secrets while one replaces the other, and none that was revoked or has ended', async () => {
      const twin = await world.application();
      await world.query(
        `UPDATE identity.client_secrets SET client_id = $1
         WHERE client_id = $2`,
        [shop.clientId, twin.clientId],
      );
      const second = { ...shop, clientSecret: twin.clientSecret };
      expect((await world.token(shop, OWN)).status).toBe(200);
      expect((await world.token(second, OWN)).status).toBe(200);
      expect((await world.token(twin, OWN)).status).toBe(401);
      const id = twin.clientSecret.split('_')[2];
      await world.query(
        `UPDATE identity.client_secrets SET expires_at = now() - interval '1s' WHERE id = $1`,
        [id],
      );
      expect((await world.token(second, OWN)).status).toBe(401);
      expect((await world.token(shop, OWN)).status).toBe(200);
    });

    it('is nobody any more when it is removed', async () => {
      const gone = await world.application();
      expect((await world.token(gone, OWN)).status).toBe(200);
      await world.suite.clientCommand(['remove', gone.clientId]);
      expect(await world.token(gone, OWN)).toMatchObject({ status: 401, error: 'invalid_client' });
    });
  });

  describe('the form of a request', () => {
    const send = (body: string, headers: Record<string, string>, path = '/oauth2/token') =>
      fetch(world.origin + path, { method: 'POST', headers, body });
    const form = 'application/x-www-form-urlencoded';

    it('is no JSON, and no GET', async () => {
      const headers = {
        'content-type': 'application/json',
        authorization: basic(shop),
        accept: 'application/json',
      };
      const answer = await send(JSON.stringify(OWN), headers);
      expect(await answerOf(answer)).toMatchObject({ status: 415, error: 'invalid_request' });
      const query = new URLSearchParams({ ...OWN, ...credentials(shop) });
      const get = await fetch(`${world.origin}/oauth2/token?${query.toString()}`);
      expect(get.status).toBe(405);
    });

    it.each([
      ['grant_type=client_credentials&grant_type=client_credentials', 'invalid_request'],
      ['grant_type=client_credentials&scope=token-gating&scope=token-gating', 'invalid_request'],
      ['grant_type=client_credentials&scope=%zz', 'invalid_request'],
      ['grant_type=client_credentials&scope=%00', 'invalid_request'],
      ['grant_type=client_credentials&scope=%22', 'invalid_scope'],
      ['grant_type=password&username=a&password=b', 'unsupported_grant_type'],
      ['grant_type=implicit', 'unsupported_grant_type'],
      ['grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x', 'unsupported_grant_type'],
      ['grant_type=', 'invalid_request'],
      ['', 'invalid_request'],
      ['grant_type=authorization_code', 'invalid_request'],
      ['grant_type=refresh_token', 'invalid_request'],
    ])('is refused with an error of its own: %s', async (body, error) => {
      const headers = { 'content-type': form, authorization: basic(shop), accept: 'application/json' };
      expect(await answerOf(await send(body, headers))).toMatchObject({ status: 400, error });
    });

    it('is not read beyond its bound', async () => {
      const headers = { 'content-type': form, authorization: basic(shop), accept: 'application/json' };
      const response = await send(`grant_type=client_credentials&x=${'x'.repeat(2_000_000)}`, headers);
      expect(response.status).toBe(413);
    });
  });

  describe('the form of an answer', () => {
    const FORM = 'application/x-www-form-urlencoded';
    const ask = (accept: string | undefined, fields: Record<string, string> = OWN) =>
      new Promise<{ status: number; type: string; vary: string; body: string }>((resolve, reject) => {
        const headers = {
          authorization: basic(shop),
          'content-type': FORM,
          ...(accept === undefined ? {} : { accept }),
        };
        const request = httpRequest(
          `${world.origin}/oauth2/token`,
          { method: 'POST', headers },
          (response) => {
            let body = '';
            response.setEncoding('utf8');
            response.on('data', (text: string) => (body += text));
            response.on('end', () => {
              const { 'content-type': type = '', vary = '' } = response.headers;
              resolve({ status: response.statusCode ?? 0, type, vary, body });
            });
          },
        );
        request.on('error', reject);
        request.end(new URLSearchParams(fields).toString());
      });

    it.each([
      undefined,
      '*/*',
      'text/html',
      'application/x-www-form-urlencoded',
      'text/html, */*;q=0.5',
      'image/*',
    ])('is a form when %j is accepted', async (accept) => {
      const { status, type, vary, body } = await ask(accept);
      expect([status, type]).toEqual([200, FORM]);
      expect(vary).toContain('Accept');
      const answer = new URLSearchParams(body);
      expect(answer.get('token_type')).toBe('Bearer');
      expect(answer.get('expires_in')).toBe('3600');
      expect(answer.get('access_token')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    });

    it.each(['application/json', 'application/json, text/plain, */*', 'text/html, application/json;q=0.9'])(
      'is JSON when %j is accepted',
      async (accept) => {
        const { status, type, vary, body } = await ask(accept);
        expect(status).toBe(200);
        expect(type).toContain('application/json');
        expect(vary).toContain('Accept');
        expect(JSON.parse(body)).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
      },
    );

    it.each([
      ['by oidc-provider', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
      ['before it', {}, 400, 'invalid_request'],
    ])(
      'is the same for errors that are found %s',
      async (_, fields: Record<string, string>, status, error) => {
        for (const accept of ['*/*', 'text/html']) {
          const answer = await ask(accept, fields);
          expect([answer.status, answer.type]).toEqual([status, FORM]);
          expect(new URLSearchParams(answer.body).get('error')).toBe(error);
          expect(answer.vary).toContain('Accept');
        }
        const json = await ask('application/json', fields);
        expect(JSON.parse(json.body)).toMatchObject({ error });
      },
    );
  });

  describe('introspection and revocation', () => {
    const userToken = async (scope = 'user:read offline_access') =>
      world.exchange(shop, await world.code(alice, shop, { scope }));
    const revoke = (application: Application, fields: Record<string, string>) =>
      world.post('/oauth2/revoke', fields, { authorization: basic(application) });

    it('says what a token is good for', async () => {
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

    it('knows nothing else', async () => {
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

    it('lets a public client ask about its own tokens only', async () => {
      const { access_token } = await userToken();
      const asked = await world.post('/oauth2/introspect', { token: access_token, client_id: app.clientId });
      expect(await answerOf(asked)).toEqual({ status: 200, active: false });
    });

    it('ends an access token everywhere', async () => {
      const { access_token } = await userToken('user:read');
      expect(await world.me(access_token)).toBe(200);
      expect((await revoke(shop, { token: access_token })).status).toBe(200);
      expect(await world.introspect(shop, access_token)).toEqual({ active: false });
      await until('the gateway refuses it', async () => (await world.me(access_token)) === 401);
      expect((await revoke(shop, { token: access_token })).status).toBe(200);
    });

    it('ends a refresh token with the access tokens that came of it', async () => {
      const { access_token, refresh_token = '' } = await userToken();
      expect((await revoke(shop, { token: refresh_token, token_type_hint: 'refresh_token' })).status).toBe(
        200,
      );
      expect(await world.token(shop, { grant_type: 'refresh_token', refresh_token })).toMatchObject({
        error: 'invalid_grant',
      });
      await until('the gateway refuses it', async () => (await world.me(access_token)) === 401);
    });

    it('ends the token of an application', async () => {
      const { access_token } = await world.token(shop, OWN);
      expect((await revoke(shop, { token: access_token })).status).toBe(200);
      expect(await world.introspect(shop, access_token)).toEqual({ active: false });
    });

    it('ends nothing of another client’s, and nothing for a strange word', async () => {
      const { access_token } = await userToken('user:read');
      expect(await answerOf(await revoke(other, { token: access_token }))).toMatchObject({
        status: 400,
        error: 'invalid_request',
      });
      expect((await revoke(shop, { token: 'what' })).status).toBe(200);
      expect(await world.me(access_token)).toBe(200);
    });
  });

  describe('id tokens', () => {
    const idToken = async () => {
      const answer = await world.exchange(
        shop,
        await world.code(alice, shop, { scope: 'openid', nonce: 'n' }),
      );
      return String(answer.id_token);
    };
    const published = async () => {
      const response = await fetch(`${world.origin}/.well-known/jwks.json`);
      return ((await response.json()) as { keys: { kid: string; alg: string }[] }).keys;
    };
    const kidOf = (jwt: string) =>
      (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

    it('are signed by another key when the old ones are gone, without a restart', async () => {
      const before = await idToken();
      expect((await published()).map(({ kid }) => kid)).toContain(kidOf(before));
      expect(decodeJwt(before)).toMatchObject({ iss: world.origin, aud: shop.clientId, nonce: 'n' });
      await world.query(`DELETE FROM identity.token_keys WHERE use LIKE 'id-%'`);
      let after = before;
      await until('another key signs', async () => kidOf((after = await idToken())) !== kidOf(before));
      expect((await published()).find(({ kid }) => kid === kidOf(after))).toMatchObject({ alg: 'RS256' });
    });
  });
});
