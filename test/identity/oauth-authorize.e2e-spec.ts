import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld } from './oauth-world.js';

describe('the authorization endpoint', () => {
  let world: OAuthWorld;
  let shop: Application;
  let alice: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    shop = await world.application({ scopes: ['user:wallet:read'] });
    alice = await world.user();
  });

  const asked = (more: Record<string, string> = {}) => ({
    response_type: 'code',
    client_id: shop.clientId,
    redirect_uri: CALLBACK,
    ...more,
  });

  const raw = (query: string) => new OAuthBrowser(world.origin).open(`/oauth2/authorize?${query}`);

  /** The same request by POST: its answer, or that of the request by GET to which it redirects. */
  const post = async (browser: OAuthBrowser, query: string): Promise<Response> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await browser.open('/oauth2/authorize', { method: 'POST', headers, body: query });
    const location = answer.headers.get('location');
    if (location === null) return answer;
    expect([answer.status, location]).toEqual([303, expect.stringMatching(/^\/oauth2\/authorize\?/)]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    return browser.open(location);
  };
  const WAYS = [
    ['GET', (browser: OAuthBrowser, query: string) => browser.open(`/oauth2/authorize?${query}`)],
    ['POST', post],
  ] as const;

  const expectPage = async (response: Response, status = 400) => {
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('content-type')).toContain('text/html');
    // The page loads nothing: its style and its picture stand in it.
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; img-src data:; style-src 'sha256-[\w+/]{43}='; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
    return response.text();
  };

  describe('without a valid client and redirect URI', () => {
    it.each([
      ['no client', { client_id: '' }],
      ['an unknown client', { client_id: 'client_00000000000000000' }],
      ['an odd client', { client_id: "x' OR 1=1 --" }],
      ['no redirect URI', { redirect_uri: '' }],
      ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/cb' }],
      ['a longer redirect URI', { redirect_uri: `${CALLBACK}evil` }],
      ['a redirect URI with a user name', { redirect_uri: 'https://app.example@evil.com/cb' }],
      ['a redirect URI that is no web address', { redirect_uri: 'javascript:alert(1)' }],
    ])(
      'T250: authorization endpoint, without a valid client and redirect URI: shows an error page for %s, by GET and by POST',
      async (_, more: Record<string, string>) => {
        for (const [, send] of WAYS)
          await expectPage(await send(alice, new URLSearchParams(asked({ state: 's', ...more })).toString()));
      },
    );

    it('authorization endpoint, without a valid client and redirect URI: shows the error and escapes it', async () => {
      const html = await expectPage(
        await alice.open(world.authorizeUrl(asked({ redirect_uri: '"><script>alert(1)</script>' }))),
      );
      expect(html).not.toContain('<script');
    });

    it('authorization endpoint, without a valid client and redirect URI: shows an error page for a deleted client', async () => {
      const gone = await world.application();
      const request = world.authorizeUrl(asked({ client_id: gone.clientId }));
      expect((await alice.open(request)).status).toBe(303);
      await world.suite.clientCommand(['remove', gone.clientId]);
      await expectPage(await alice.open(request));
    });

    it.each([
      ['client_id', `client_id=a&client_id=b&response_type=code&redirect_uri=${CALLBACK}`],
      ['a NUL character', `client_id=a%00&response_type=code&redirect_uri=${CALLBACK}`],
      ['half a character', `client_id=a&response_type=code&redirect_uri=${CALLBACK}&state=%ff`],
      ['a broken escape', `client_id=a&response_type=code&redirect_uri=${CALLBACK}&state=%4`],
      ['a line break', `client_id=a&response_type=code&redirect_uri=${CALLBACK}&state=a%0d%0aSet-Cookie:x`],
    ])(
      'authorization endpoint, without a valid client and redirect URI: shows an error page for %s',
      async (_, query) => {
        for (const [, send] of WAYS) await expectPage(await send(new OAuthBrowser(world.origin), query));
      },
    );

    it('authorization endpoint, without a valid client and redirect URI: shows an error page for a duplicate redirect URI', async () => {
      const query = new URLSearchParams(asked()).toString();
      await expectPage(await raw(`${query}&redirect_uri=${encodeURIComponent('https://evil.example')}`));
    });
  });

  describe('with a valid client and redirect URI', () => {
    it.each([
      ['no response_type', { response_type: '' }, 'invalid_request'],
      ['id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
      ['none', { response_type: 'none' }, 'unsupported_response_type'],
      ['code token', { response_type: 'code token' }, 'unsupported_response_type'],
      ['the mode of the implicit flow', { response_mode: 'gatehouse.token' }, 'unsupported_response_mode'],
      ['web_message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
      ['the implicit flow, which it never turned on', { response_type: 'token' }, 'invalid_request'],
      ['a scope that it may not have', { scope: 'user:wallet:write' }, 'invalid_scope'],
      ['the portal’s own scope', { scope: 'operator' }, 'invalid_scope'],
      ['a scope of odd characters', { scope: 'user:read "x"' }, 'invalid_scope'],
      ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
      [
        'a request object somewhere else',
        { request_uri: 'https://a.example/r' },
        'request_uri_not_supported',
      ],
      ['prompt=none with others', { prompt: 'none login' }, 'invalid_request'],
      ['prompt=none with select_account', { prompt: 'none select_account' }, 'invalid_request'],
      ['prompt=none with an unknown one', { prompt: 'verify none' }, 'invalid_request'],
      ['a max_age that is no number', { scope: 'openid', max_age: 'x' }, 'invalid_request'],
    ])('redirects with an error: %s', async (_, more: Record<string, string>, error) => {
      for (const [, send] of WAYS) {
        const response = await send(alice, new URLSearchParams(asked({ state: 'a b', ...more })).toString());
        expect(response.status).toBe(303);
        const back = new URL(response.headers.get('location') ?? '');
        expect(back.origin + back.pathname).toBe(CALLBACK);
        const said = new URLSearchParams(back.search || back.hash.slice(1));
        expect(Object.fromEntries(said)).toMatchObject({ error, state: 'a b', iss: world.origin });
      }
    });

    it.each(['select_account', 'create', 'consent select_account', 'login verify'])(
      'authorize: shows the login page for prompt=%s, also to a user who is signed in',
      async (prompt) => {
        for (const [, send] of WAYS)
          for (const browser of [alice, new OAuthBrowser(world.origin)]) {
            const response = await send(browser, new URLSearchParams(asked({ prompt })).toString());
            const location = response.headers.get('location') ?? '';
            expect([response.status, location]).toEqual([303, expect.stringMatching(/\/login\/[\w-]+$/)]);
            const page = await browser.open(location);
            expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="login"')]);
          }
      },
    );

    it('authorize: ignores unknown prompts, and sends a signed-in user on', async () => {
      const page = await alice.follow(world.authorizeUrl(asked({ prompt: 'verify' })));
      expect(page.location ?? page.url).toMatch(/\?code=|\/consent\//);
    });

    it('authorize by POST: refuses forms above 8 KiB and bodies of other types, in a page', async () => {
      const query = new URLSearchParams(asked()).toString();
      await expectPage(await post(alice, `${query}&x=${'x'.repeat(8_192)}`), 413);
      const headers = { 'content-type': 'application/json' };
      const json = await alice.open('/oauth2/authorize', { method: 'POST', headers, body: '{}' });
      await expectPage(json, 415);
      await expectPage(await post(alice, ''));
    });

    it('authorization endpoint, with a valid client and redirect URI: redirects with an error for a duplicate parameter', async () => {
      const query = new URLSearchParams(asked({ state: 's' })).toString();
      const response = await raw(`${query}&scope=user:read&scope=openid`);
      const back = new URL(response.headers.get('location') ?? '');
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'invalid_request', state: 's' });
    });

    it('authorization endpoint, with a valid client and redirect URI: redirects with an error if the user denies access', async () => {
      const back = await world.authorize(alice, asked({ state: 's', prompt: 'consent' }), 'deny');
      expect(Object.fromEntries(back.searchParams)).toMatchObject({
        error: 'access_denied',
        state: 's',
        iss: world.origin,
      });
      expect(back.searchParams.has('code')).toBe(false);
    });

    it('authorization endpoint, with a valid client and redirect URI: redirects with login_required if prompt=none and no user is signed in', async () => {
      const response = await raw(new URLSearchParams(asked({ prompt: 'none', state: 's' })).toString());
      const back = new URL(response.headers.get('location') ?? '');
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'login_required', state: 's' });
    });

    it('authorization endpoint, with a valid client and redirect URI: ignores a nonce without an id token', async () => {
      const page = await alice.follow(world.authorizeUrl(asked({ scope: 'user:read', nonce: 'n' })));
      expect(page.location ?? page.url).toMatch(/\?code=|\/consent\//);
    });

    it('authorization endpoint, with a valid client and redirect URI: returns a long state unchanged and names a state that is too long in the error', async () => {
      const state = 's'.repeat(2_048);
      const back = await world.authorize(alice, asked({ state, prompt: 'consent' }), 'deny');
      expect(back.searchParams.get('state')).toBe(state);
      for (const name of ['state', 'nonce']) {
        const long = { [name]: 'x'.repeat(2_049) };
        expect(await expectPage(await alice.open(world.authorizeUrl(asked(long))))).toContain(
          `The parameter ${name} is longer than 2048 characters.`,
        );
      }
    });

    it('authorization endpoint, with a valid client and redirect URI: ignores unknown parameters', async () => {
      const page = await alice.follow(
        world.authorizeUrl(asked({ resource: 'https://x', claims: '{', foo: 'bar' })),
      );
      expect(page.response.status).toBeLessThan(400);
    });
  });

  describe('an authorization request', () => {
    const begin = async (browser: OAuthBrowser) => {
      const page = await browser.follow(world.authorizeUrl(asked({ prompt: 'consent', state: 's' })));
      const path = new URL(page.url).pathname;
      expect(path).toMatch(/^\/consent\//);
      return { path, html: await page.response.text() };
    };

    it('authorization endpoint, authorization request: can be approved only in the browser that started it', async () => {
      const { path, html } = await begin(alice);
      const mallory = await world.user();
      expect((await mallory.open(path)).status).toBeGreaterThanOrEqual(400);
      const own = await begin(mallory);
      const form = { decision: 'grant', 'scope.user:read': 'on', 'scope.$public': 'on' };
      const stolen = await mallory.postForm(path, { ...form, csrf: csrfOf(own.html) });
      expect(stolen.status).toBeGreaterThanOrEqual(400);
      const nobody = new OAuthBrowser(world.origin);
      const unknown = await nobody.postForm(path, { ...form, csrf: csrfOf(html) });
      expect([unknown.status, unknown.headers.get('location')]).toEqual([
        303,
        expect.stringMatching(/^\/login/),
      ]);
      const resume = path.replace('/consent/', '/oauth2/authorize/');
      await expectPage(await mallory.open(resume));
      await expectPage(await nobody.open(resume));
    });

    it('authorization endpoint, authorization request: resumes only after a decision', async () => {
      const { path } = await begin(alice);
      const resume = path.replace('/consent/', '/oauth2/authorize/');
      const back = await alice.open(resume);
      expect(back.headers.get('location')).not.toMatch(/^https:\/\/app\.example/);
    });

    it.each(['..', '%2e%2e', 'a.b', 'x'.repeat(65), "x'--"])(
      'authorization endpoint, authorization request: does not resume with the uid %j',
      async (uid) => {
        expect((await alice.open(`/oauth2/authorize/${uid}`)).status).toBeGreaterThanOrEqual(400);
      },
    );

    it('authorization endpoint, authorization request: belongs to the user who signs in last', async () => {
      const browser = await world.user();
      const first = await world.authorize(browser, asked({ scope: 'user:read' }));
      const one = await world.exchange(shop, first.searchParams.get('code') ?? '');
      await sleep(1_100); // a login counts to the second
      const wanted = await browser.follow(world.authorizeUrl(asked({ scope: 'user:read', prompt: 'login' })));
      const path = new URL(wanted.url).pathname;
      expect(path).toMatch(/^\/login\//);
      const stranger = new OAuthBrowser(world.origin);
      for (const [name, cookie] of browser.cookies) stranger.cookies.set(name, cookie);
      await stranger.signIn(path);
      const page = await stranger.follow(path);
      const html = await page.response.text();
      const consent = new URL(page.url).pathname;
      expect(consent).toMatch(/^\/consent\//);
      const fields = { csrf: csrfOf(html), decision: 'grant', 'scope.user:read': 'on' };
      const { location = '' } = await stranger.follow(consent, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      const two = await world.exchange(shop, new URL(location).searchParams.get('code') ?? '');
      expect(decodeJwt(two.access_token).sub).not.toBe(decodeJwt(one.access_token).sub);
    });
  });

  it('metadata: clients without OpenID Connect find the server and the resource, from a 401 on', async () => {
    const refused = await fetch(`${world.origin}/account/me`);
    const [, url = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect([refused.status, url]).toEqual([401, `${world.origin}/.well-known/oauth-protected-resource`]);
    const resource = (await (await fetch(url)).json()) as Record<string, unknown>;
    expect(resource).toMatchObject({
      resource: world.origin,
      authorization_servers: [world.origin],
      bearer_methods_supported: ['header'],
    });
    const [server] = resource['authorization_servers'] as string[];
    const load = async (name: string) =>
      (await (await fetch(`${server ?? ''}/.well-known/${name}`)).json()) as Record<string, unknown>;
    const [metadata, discovery] = [
      await load('oauth-authorization-server'),
      await load('openid-configuration'),
    ];
    expect(discovery).toMatchObject(metadata);
    const onlyOpenId = Object.keys(discovery).filter((name) => !(name in metadata));
    expect(onlyOpenId).toEqual(
      expect.arrayContaining(['userinfo_endpoint', 'subject_types_supported', 'prompt_values_supported']),
    );
    expect(metadata).toMatchObject({
      issuer: world.origin,
      token_endpoint: `${world.origin}/oauth2/token`,
      jwks_uri: `${world.origin}/.well-known/jwks.json`,
    });
    expect(resource['scopes_supported']).toEqual(metadata['scopes_supported']);
  });

  it('authorization endpoint: is documented by the discovery document', async () => {
    const response = await fetch(`${world.origin}/.well-known/openid-configuration`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const document = (await response.json()) as Record<string, unknown>;
    expect(document).toMatchObject({
      issuer: world.origin,
      authorization_endpoint: `${world.origin}/oauth2/authorize`,
      token_endpoint: `${world.origin}/oauth2/token`,
      introspection_endpoint: `${world.origin}/oauth2/introspect`,
      revocation_endpoint: `${world.origin}/oauth2/revoke`,
      userinfo_endpoint: `${world.origin}/oauth2/userinfo`,
      end_session_endpoint: `${world.origin}/oauth2/logout`,
      jwks_uri: `${world.origin}/.well-known/jwks.json`,
      response_types_supported: ['code', 'token'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
    });
    expect((document['grant_types_supported'] as string[]).sort()).toEqual(
      ['authorization_code', 'client_credentials', 'implicit', 'refresh_token'].sort(),
    );
    expect(document['scopes_supported']).not.toContain('operator');
    for (const key of ['registration_endpoint', 'pushed_authorization_request_endpoint'])
      expect(document[key]).toBeUndefined();
  });
});
