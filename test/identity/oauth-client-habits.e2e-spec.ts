import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { OAuthBrowser } from './oauth-browser.js';
import { type Application, basic, CALLBACK, OAuthWorld } from './oauth-world.js';

const FORM = 'application/x-www-form-urlencoded';
const OWN = 'grant_type=client_credentials';

/** What client libraries send besides the plain request, and the standards allow. */
describe('habits of OAuth clients', () => {
  let world: OAuthWorld;
  let shop: Application;
  let spa: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, spa] = await Promise.all([
      world.application({ scopes: ['community:read'] }),
      world.application({ type: 'public' }),
    ]);
    alice = await world.user();
  });

  const send = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(`${world.origin}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': FORM, accept: 'application/json', ...headers },
      body,
    });
    const answer = (await response.json()) as { error?: string };
    return answer.error ?? response.status;
  };

  it.each<[string, string, Record<string, string>, number | string]>([
    ['the scheme in lower case', OWN, { authorization: 'basic' }, 200],
    ['the scheme in upper case', OWN, { authorization: 'BASIC' }, 200],
    ['a media type in other letters', OWN, { 'content-type': 'Application/X-WWW-Form-Urlencoded' }, 200],
    ['a charset', OWN, { 'content-type': `${FORM}; charset=UTF-8` }, 200],
    ['spaces around scopes', `${OWN}&scope=+community%3Aread++`, {}, 200],
    ['an empty scope', `${OWN}&scope=`, {}, 200],
    ['the client id besides', `${OWN}&client_id=ID`, {}, 200],
    [
      'unknown parameters',
      `${OWN}&audience=x&resource=https%3A%2F%2Fapi.example&access_type=offline`,
      {},
      200,
    ],
    ['a final ampersand', `${OWN}&`, {}, 200],
    ['the secret in both places', `${OWN}&client_id=ID&client_secret=SECRET`, {}, 'invalid_request'],
    ['the grant type twice', `${OWN}&${OWN}`, {}, 'invalid_request'],
  ])('T257: token request with %s: is answered as RFC 6749 says', async (_, body, headers, expected) => {
    const [scheme = 'Basic'] = [headers['authorization']];
    const authorization = basic(shop).replace(/^Basic/, scheme);
    const text = body.replace('=ID', `=${shop.clientId}`).replace('=SECRET', `=${shop.clientSecret}`);
    expect(await send(text, { ...headers, authorization })).toBe(expected);
  });

  const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
  const codeFor = (verifier: string, more: Record<string, string> = {}) =>
    world.code(alice, spa, {
      scope: 'user:read',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...more,
    });
  const exchange = async (code: string, verifier: string, more: Record<string, string> = {}) => {
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: spa.clientId,
    };
    return send(new URLSearchParams({ ...fields, code_verifier: verifier, ...more }).toString(), {});
  };

  it.each<[string, number, string | number]>([
    ['shortest', 43, 200],
    ['longest', 128, 200],
    ['shorter', 42, 'invalid_request'],
    ['longer', 129, 'invalid_request'],
  ])('T257: code exchange with the %s verifier, of %i characters: %s', async (_, length, expected) => {
    const verifier = '-._~Az09'.repeat(20).slice(0, length);
    expect(await exchange(await codeFor(verifier), verifier)).toBe(expected);
  });

  it.each<[string, Record<string, string>, Record<string, string>, number | string]>([
    ['an empty client secret', { client_secret: '' }, {}, 200],
    // A public client sends its id in the body.
    ['its id as the user of HTTP Basic, without a password', {}, { authorization: 'ID' }, 'invalid_request'],
    ['an empty state and prompt before', {}, {}, 200],
  ])('T257: code exchange of a public client with %s: %s', async (_, fields, headers, expected) => {
    const verifier = 'v'.repeat(43);
    const code = await codeFor(verifier, { state: '', prompt: '', nonce: '' });
    const all = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
    const body = new URLSearchParams({ ...all, client_id: spa.clientId, ...fields }).toString();
    const authorization = `Basic ${Buffer.from(`${spa.clientId}:`).toString('base64')}`;
    expect(await send(body, 'authorization' in headers ? { authorization } : {})).toBe(expected);
  });

  it.each<[string, Record<string, string>, Record<string, string | null>]>([
    ['spaces around and between scopes', { scope: ' user:read  openid ' }, { error: null }],
    ['a scope twice', { scope: 'openid openid user:read' }, { error: null }],
    ['the response mode that is the default', { response_mode: 'query' }, { error: null }],
    ['an empty state', { state: '' }, { error: null, state: null }],
    [
      'hints for the page',
      { display: 'popup', ui_locales: 'de fr', login_hint: 'ann@example.com' },
      { error: null },
    ],
    [
      'parameters of other servers',
      { access_type: 'offline', audience: 'x', claims: '{}', resource: 'a:b' },
      { error: null },
    ],
    ['a prompt in other letters', { prompt: 'LOGIN' }, { error: null }],
    [
      'PKCE plain',
      { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' },
      { error: 'invalid_request' },
    ],
    ['PKCE without a method', { code_challenge: 'v'.repeat(43) }, { error: 'invalid_request' }],
  ])('T257: authorization request with %s: %j leads back with %j', async (_, more, expected) => {
    const request = {
      response_type: 'code',
      client_id: shop.clientId,
      redirect_uri: CALLBACK,
      scope: 'user:read',
    };
    const back = await world.authorize(alice, { ...request, state: 'as it was', ...more });
    const { searchParams } = back;
    const found = Object.keys(expected).map((name) => [name, searchParams.get(name)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(searchParams.has('code')).toBe(expected['error'] === null);
  });

  it.each(['/', '?', '#', '%2F', ';x'])(
    'T257: authorization request with the redirect URI and %s after it: is a page, never a redirect',
    async (tail) => {
      const request = { response_type: 'code', client_id: shop.clientId, redirect_uri: CALLBACK + tail };
      const { response, location } = await alice.follow(world.authorizeUrl(request));
      expect([response.status, location]).toEqual([400, undefined]);
    },
  );

  it.each(['bearer', 'BEARER'])('T257: access token with the scheme %j: is accepted', async (scheme) => {
    const code = await world.code(alice, shop, { scope: 'openid user:read', prompt: 'consent' });
    const { access_token: token } = await world.exchange(shop, code);
    for (const path of ['/account/me', '/oauth2/userinfo']) {
      const response = await fetch(world.origin + path, {
        headers: { authorization: `${scheme} ${token}` },
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it.each(['introspect', 'revoke'])(
    'T257: %s with an unknown hint and an unknown token: is answered',
    async (name) => {
      const fields = { token: 'unknown', token_type_hint: 'saml2' };
      const response = await world.post(`/oauth2/${name}`, fields, { authorization: basic(shop) });
      expect(response.status).toBe(200);
    },
  );

  it.each(['/oauth2/token', '/.well-known/openid-configuration', '/oauth2/userinfo', '/oauth2/revoke'])(
    'T257: preflight of a browser client for %s: is allowed',
    async (path) => {
      const response = await fetch(world.origin + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://spa.example',
          'access-control-request-method': path.startsWith('/.') ? 'GET' : 'POST',
          'access-control-request-headers':
            'authorization,content-type,x-requested-with,traceparent,baggage,sentry-trace',
        },
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, ?/);
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'baggage', 'sentry-trace']));
    },
  );
});
