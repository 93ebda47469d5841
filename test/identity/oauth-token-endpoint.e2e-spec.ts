import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { answerOf, type Application, basic, CALLBACK, credentials, OAuthWorld } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('the token endpoint', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let app: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other, app] = await Promise.all([
      world.application({ scopes: ['token-gating', 'community:read', 'user:wallet:read'] }),
      world.application(),
      world.application({ type: 'public' }),
    ]);
  });

  const token = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    answerOf(await world.post('/oauth2/token', fields, headers));

  describe('client credentials', () => {
    it('token endpoint, client credentials: give the application a token with approved scopes', async () => {
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

    it('token endpoint, client credentials: give all approved scopes without a user by default', async () => {
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
    ])('token endpoint, client credentials: do not give %s', async (scope) => {
      expect(await world.token(shop, { ...OWN, scope: `token-gating ${scope}` })).toMatchObject({
        status: 400,
        error: 'invalid_scope',
      });
    });

    it('token endpoint, client credentials: are refused for a public client', async () => {
      const answer = await token({ ...OWN, client_id: app.clientId });
      expect(answer).toMatchObject({ status: 400 });
      expect(answer['access_token']).toBeUndefined();
    });
  });

  describe('the request format', () => {
    const send = (body: string, headers: Record<string, string>, path = '/oauth2/token') =>
      fetch(world.origin + path, { method: 'POST', headers, body });
    const form = 'application/x-www-form-urlencoded';

    it('token endpoint, request format: is neither JSON nor GET', async () => {
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
    ])('is checked with specific errors: %s', async (body, error) => {
      const headers = { 'content-type': form, authorization: basic(shop), accept: 'application/json' };
      expect(await answerOf(await send(body, headers))).toMatchObject({ status: 400, error });
    });

    it('token endpoint, request format: has a size limit', async () => {
      const headers = { 'content-type': form, authorization: basic(shop), accept: 'application/json' };
      const response = await send(`grant_type=client_credentials&x=${'x'.repeat(2_000_000)}`, headers);
      expect(response.status).toBe(413);
    });
  });

  describe('the response format', () => {
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
    ])('token endpoint, response format: is a form when %j is accepted', async (accept) => {
      const { status, type, vary, body } = await ask(accept);
      expect([status, type]).toEqual([200, FORM]);
      expect(vary).toContain('Accept');
      const answer = new URLSearchParams(body);
      expect(answer.get('token_type')).toBe('Bearer');
      expect(answer.get('expires_in')).toBe('3600');
      expect(answer.get('access_token')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    });

    it.each([
      'application/json',
      'application/json, text/plain, */*',
      'text/html, application/json;q=0.9',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8", application/*+json;charset=UTF-8',
      'application/x-www-form-urlencoded;q=0.1, application/json;profile="a,b;q=0";q=0.5',
    ])('token endpoint, response format: is JSON when %j is accepted', async (accept) => {
      const { status, type, vary, body } = await ask(accept);
      expect(status).toBe(200);
      expect(type).toContain('application/json');
      expect(vary).toContain('Accept');
      expect(JSON.parse(body)).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
    });

    it.each([
      ['json', 'user:read openid', '*/*', 'application/json'],
      ['json', 'user:read openid', FORM, FORM],
      ['json', 'user:read', '*/*', FORM],
      ['form', 'user:read openid', undefined, FORM],
      ['form', 'user:read openid', 'application/json;charset=UTF-8', 'application/json'],
    ])(
      'of an application with the token response %s for the scope %s and the header Accept: %s is %s',
      async (tokenResponse, scope, accept, expected) => {
        const { clientId } = shop;
        await world.query('UPDATE identity.client_applications SET token_response = $2 WHERE id = $1', [
          clientId,
          tokenResponse,
        ]);
        const code = await world.code(await world.user(), shop, { scope });
        const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
        const { status, type, body } = await ask(accept, fields);
        expect([status, type.split(';')[0]]).toEqual([200, expected]);
        expect(body).toContain('access_token');
      },
    );

    it.each([
      ['by oidc-provider', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
      ['before it', {}, 400, 'invalid_request'],
    ])(
      'token endpoint, response format: is the same for errors that are found %s',
      async (_, fields: Record<string, string>, status, error) => {
        for (const accept of ['*/*', 'text/html']) {
          const answer = await ask(accept, fields);
          expect([answer.status, answer.type]).toEqual([status, FORM]);
          expect(new URLSearchParams(answer.body).get('error')).toBe(error);
          expect(answer.vary).toContain('Accept');
        }
        for (const accept of ['application/json', 'application/json;charset=UTF-8']) {
          const json = await ask(accept, fields);
          expect(json.type).toContain('application/json');
          expect(JSON.parse(json.body)).toMatchObject({ error });
        }
      },
    );
  });
});
