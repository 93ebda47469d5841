import { beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, type Principal } from '@app/auth';
import type { RunningApp } from '../support/running-app.js';
import type { IdentityUnderTest } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';
import { operationOf } from '../support/operation-of.js';

const USER: Principal = { kind: 'caller', user: { id: 'user_1' }, scopes: [] };

describe('operations of identity', () => {
  let identity: IdentityUnderTest;
  let app: RunningApp;

  beforeAll(async () => {
    ({ identity, app } = await SignInWorld.lease());
  });

  const errorOf = async (response: Response) => {
    const { error } = (await response.json()) as {
      error: { name: string; details: { code: string; issues?: { path: string; message: string }[] } };
    };
    return error;
  };

  const postForm = async (path: string, body: string, type = 'application/x-www-form-urlencoded') => {
    const token = await identity.tokenFor(USER, 'gateway', 'identity', operationOf('POST', path));
    return fetch(app.url + path, {
      method: 'POST',
      headers: { [PRINCIPAL_HEADER]: token, 'content-type': type },
      body,
    });
  };

  it.each(['/account/me', '/account/auth-message', '/account/linked-users', '/account/wallets?limit=100'])(
    'operations of identity: is 404 at %s for an unknown user without a wallet',
    async (path) => {
      const response = await identity.get(path, USER);
      expect(response.status).toBe(404);
      expect(await errorOf(response)).toMatchObject({ details: { code: 'user_not_found' } });
    },
  );

  const LIMIT_MESSAGE = 'must be a whole number from 1 to 100';

  it.each([
    ['limit=0', 'limit', LIMIT_MESSAGE],
    ['limit=101', 'limit', LIMIT_MESSAGE],
    ['limit=abc', 'limit', LIMIT_MESSAGE],
    ['limit=-1', 'limit', LIMIT_MESSAGE],
    ['limit=0x10', 'limit', LIMIT_MESSAGE],
    ['limit=1e1', 'limit', LIMIT_MESSAGE],
    ['limit=1&limit=2', 'limit', 'must be given once'],
    ['paginationToken=a&paginationToken=b', 'paginationToken', 'must be given once'],
    ['paginationToken=abc', 'paginationToken', expect.any(String)],
  ])('operations of identity: rejects %s and names the parameter', async (query, path, message) => {
    const response = await identity.get(`/account/wallets?${query}`, USER);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details.issues).toEqual([{ path, message }]);
  });

  it('operations of identity: accepts forms at the OAuth 2.0 endpoints only', async () => {
    const code = 'grant_type=authorization_code&code=a&redirect_uri=http%3A%2F%2Flocalhost&unknown=ignored';
    const named = '&client_id=a&client_secret=b';
    expect((await postForm('/oauth2/token', code + named)).status).toBe(401);
    expect((await postForm('/oauth2/revoke', `token=abc${named}`)).status).toBe(401);
    expect((await postForm('/oauth2/introspect', `token=abc&token_type_hint=${named}`)).status).toBe(401);
    expect((await postForm('/oauth2/token', `${code}&code=b`)).status).toBe(400);
    expect(
      (await postForm('/oauth2/token', '{"grant_type":"authorization_code"}', 'application/json')).status,
    ).toBe(415);
    expect((await postForm('/ethereum-login/challenges', 'uri=https://a.example')).status).toBe(415);
  });

  it('operations of identity: validates login request bodies', async () => {
    const post = (path: string, body: object) => identity.post(`/ethereum-login/${path}`, USER, body);
    // The caller is authorized, but has no client application.
    expect(
      (await post('challenges', { uri: 'https://shop.example/login', resources: ['urn:scope:user:read'] }))
        .status,
    ).toBe(403);
    expect((await post('challenges', { uri: 'javascript:alert(1)' })).status).toBe(400);
    expect((await post('id-tokens', { requestId: 'a', signature: '0x00' })).status).toBe(403);
    expect(
      (await post('id-tokens', { requestId: 'a', signature: '0x00', signatureType: 'rsa' })).status,
    ).toBe(400);
  });
});
