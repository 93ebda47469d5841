import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { OAuthWorld } from './oauth-world.js';
import { type Ceremony, SoftwareAuthenticator } from './software-authenticator.js';

interface CreationOptions {
  challenge: string;
  user: { id: string };
  rp: { id: string };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
  code: string | undefined;
}

/** A user with a passkey. */
interface Owner {
  browser: OAuthBrowser;
  authenticator: SoftwareAuthenticator;
  userHandle: string;
  id: string;
}

const SCOPES = 'user:webauthn-credential:read user:webauthn-credential:write';

describe('passkeys', () => {
  let suite: RunningSuite;
  let world: OAuthWorld;
  let origin: string;

  beforeAll(async () => {
    suite = await runningSuite({
      loginHost: 'localhost',
      without: ['token-gating'],
      env: { ADDRESS_REQUESTS_PER_SECOND: '10000' },
    });
    world = OAuthWorld.of(suite);
    origin = suite.gatewayUrl.replace('127.0.0.1', 'localhost');
  });

  afterAll(async () => {
    await suite.stop();
  });

  const post = async (browser: OAuthBrowser, page: string, path: string, body: object): Promise<Answer> => {
    const csrf = csrfOf(await (await browser.open(page)).text());
    const response = await browser.post(path, { ...body, csrf });
    const parsed = JSON.parse((await response.text()) || '{}') as Record<string, unknown>;
    const { error } = parsed as { error?: { details: { code: string } } };
    return { status: response.status, body: parsed, code: error?.details.code };
  };

  const signedIn = async (): Promise<OAuthBrowser> => {
    const browser = new OAuthBrowser(origin);
    await browser.signIn();
    return browser;
  };

  const idOf = ({ wallet }: OAuthBrowser) => deriveUserId('ethereum', wallet.address.toLowerCase());

  const optionsFor = async (browser: OAuthBrowser): Promise<CreationOptions> => {
    const { body } = await post(browser, '/portal/passkeys', '/portal/passkeys/options', {});
    return body as unknown as CreationOptions;
  };

  const add = (browser: OAuthBrowser, options: CreationOptions, response: object): Promise<Answer> =>
    post(browser, '/portal/passkeys', '/portal/passkeys', { userHandle: options.user.id, response });

  const owner = async (): Promise<Owner> => {
    const browser = await signedIn();
    const options = await optionsFor(browser);
    const authenticator = new SoftwareAuthenticator();
    const { body, status } = await add(
      browser,
      options,
      authenticator.create({ origin, challenge: options.challenge }),
    );
    expect(status).toBe(200);
    return { browser, authenticator, userHandle: options.user.id, id: String(body['id']) };
  };

  const challengeFor = async (browser: OAuthBrowser): Promise<string> => {
    const { body } = await post(browser, '/login', '/login/passkey-options', {});
    return String(body['challenge']);
  };

  const complete = (browser: OAuthBrowser, response: object) =>
    post(browser, '/login', '/login/passkey-sessions', { response });

  /** A login in a new browser. */
  const logIn = async ({ authenticator, userHandle }: Owner, more: Partial<Ceremony> = {}) => {
    const browser = new OAuthBrowser(origin);
    const challenge = await challengeFor(browser);
    const answer = await complete(browser, authenticator.get({ origin, challenge, ...more }, userHandle));
    return { ...answer, browser };
  };

  const isSignedIn = async (browser: OAuthBrowser) => (await browser.open('/portal/passkeys')).status === 200;

  it('POST /login/passkey-sessions: signs the user in, as a login that is weaker than the wallet', async () => {
    const user = await owner();
    const { browser, status } = await logIn(user);
    expect(status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    const shop = await world.application({ scopes: SCOPES.split(' ') });
    const tokens = await world.exchange(shop, await world.code(browser, shop, { scope: SCOPES }));
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: idOf(user.browser),
      amr: ['pop', 'user', 'hwk'],
    });
    const refused = await fetch(`${suite.gatewayUrl}/account/webauthn-credentials/${user.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('wallet_login_required'),
    ]);
    const more = await post(browser, '/portal/passkeys', '/portal/passkeys/options', {}).catch(
      () => undefined,
    );
    expect(more?.code ?? 'no form').toMatch(/wallet_login_required|no form/);
  });

  it('PasskeyController: lists, renames and removes passkeys, and ends their sessions at once', async () => {
    const user = await owner();
    const { browser } = await logIn(user);
    const shop = await world.application({ scopes: SCOPES.split(' ') });
    const { access_token: token } = await world.exchange(
      shop,
      await world.code(user.browser, shop, { scope: SCOPES }),
    );
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${suite.gatewayUrl}/account/webauthn-credentials${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: JSON.parse((await response.text()) || '{}') as unknown };
    };
    const stored = { id: user.id, name: 'Passkey', backedUp: false, createdTime: expect.any(String) };
    expect((await call('GET', '')).body).toEqual({ items: [stored] });
    expect(await call('PATCH', `/${user.id}`, { name: ' Phone ' })).toMatchObject({
      body: { name: 'Phone' },
    });
    expect((await call('PATCH', `/${user.id}`, { name: 'a\u202eb' })).status).toBe(400);
    const stranger = await owner();
    expect((await call('DELETE', `/${stranger.id}`)).status).toBe(404);
    expect((await call('PATCH', `/${stranger.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await call('DELETE', `/${user.id}`)).status).toBeLessThan(300);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await logIn(user)).code).toBe('passkey_invalid');
    expect((await logIn(stranger)).status).toBe(200);
    const audited = await world.query(
      'SELECT action FROM identity.audit_records WHERE target = $1 ORDER BY id',
      [user.id],
    );
    expect(audited).toEqual([{ action: 'passkey.added' }, { action: 'passkey.removed' }]);
  });

  it.each<[string, Partial<Ceremony>]>([
    ['another origin', { origin: 'https://evil.example', rpId: 'localhost' }],
    ['another host', { rpId: 'evil.example' }],
    ['a frame of another site', { crossOrigin: true }],
    ['a user who was not verified', { isUserVerified: false }],
    ['a challenge that was never made', { challenge: Buffer.alloc(54).toString('base64url') }],
  ])('POST /login/passkey-sessions: refuses %s, and so does adding a passkey', async (_, more) => {
    const user = await owner();
    expect((await logIn(user, more)).code).toBe('passkey_invalid');
    const options = await optionsFor(user.browser);
    const made = new SoftwareAuthenticator().create({ origin, challenge: options.challenge, ...more });
    expect((await add(user.browser, options, made)).code).toBe('passkey_invalid');
  });

  it('POST /login/passkey-sessions: refuses a replayed challenge, one of another session, and a wrong user handle', async () => {
    const [user, other] = [await owner(), await owner()];
    const browser = new OAuthBrowser(origin);
    const challenge = await challengeFor(browser);
    const answer = user.authenticator.get({ origin, challenge }, user.userHandle);
    const elsewhere = new OAuthBrowser(origin);
    expect((await complete(elsewhere, answer)).code).toBe('passkey_invalid');
    const twin = browser.twin();
    expect(
      (await complete(browser, user.authenticator.get({ origin, challenge }, other.userHandle))).code,
    ).toBe('passkey_invalid');
    expect((await complete(browser, answer)).status).toBe(200);
    expect((await complete(twin, answer)).code).toBe('passkey_invalid');
    const registration = await optionsFor(user.browser);
    const asLogin = user.authenticator.get({ origin, challenge: registration.challenge }, user.userHandle);
    expect((await complete(new OAuthBrowser(origin), asLogin)).code).toBe('passkey_invalid');
  });

  it('POST /login/passkey-sessions: blocks a passkey whose counter does not grow', async () => {
    const user = await owner();
    expect((await logIn(user, { counter: 7 })).status).toBe(200);
    expect((await logIn(user, { counter: 7 })).code).toBe('passkey_invalid');
    expect((await logIn(user, { counter: 8 })).code).toBe('passkey_invalid');
    expect(
      await world.query(
        `SELECT 1 FROM identity.audit_records WHERE target = $1 AND action = 'passkey.blocked'`,
        [user.id],
      ),
    ).toHaveLength(1);
  });

  it('POST /login/passkey-sessions: ends the sessions of a copy that signed in before the original, and no others', async () => {
    const user = await owner();
    const { browser: copy } = await logIn(user, { counter: 50 });
    expect(await isSignedIn(copy)).toBe(true);
    expect((await logIn(user, { counter: 6 })).code).toBe('passkey_invalid');
    expect(await isSignedIn(copy)).toBe(false);
    expect(await isSignedIn(user.browser)).toBe(true);
  });

  it('T299: POST /login/passkey-sessions: refuses the slower of two tabs, without blocking the passkey', async () => {
    const user = await owner();
    const [slow, fast] = [new OAuthBrowser(origin), new OAuthBrowser(origin)];
    const challenge = await challengeFor(slow);
    const late = user.authenticator.get({ origin, challenge, counter: 11 }, user.userHandle);
    const next = { origin, challenge: await challengeFor(fast), counter: 12 };
    expect((await complete(fast, user.authenticator.get(next, user.userHandle))).status).toBe(200);
    expect((await complete(slow, late)).code).toBe('passkey_invalid');
    expect(await isSignedIn(fast)).toBe(true);
    expect((await logIn(user, { counter: 13 })).status).toBe(200);
    expect((await logIn(user, { counter: 13 })).code).toBe('passkey_invalid');
    expect((await logIn(user, { counter: 14 })).code).toBe('passkey_invalid');
  });

  /** Signs in with the wallet of the user, in a new browser. @returns the page that the login page shows next */
  const logInByWallet = async (user: Owner, to = '/portal') => {
    const browser = new OAuthBrowser(origin);
    const csrf = csrfOf(await (await browser.open('/login')).text());
    const { wallet } = user.browser;
    const accountId = `eip155:1:${wallet.address}`;
    const challenge = await browser.post('/login/challenges', { csrf, accountId });
    const { requestId, message } = (await challenge.json()) as { requestId: string; message: string };
    const signature = await wallet.signMessage({ message });
    const answer = { csrf, requestId, accountId, signatureType: 'eip191', signature };
    const { to: next } = (await (await browser.post('/login/sessions', answer)).json()) as { to?: string };
    const page = next === undefined ? '' : await (await browser.open(`${next}?to=${to}`)).text();
    return { browser, next, page };
  };

  const judge = async (browser: OAuthBrowser, page: string, judgement: 'keep' | 'remove') => {
    const [, ids = ''] = /name="ids" value="([^"]*)"/.exec(page) ?? [];
    const [, to = ''] = /name="to" value="([^"]*)"/.exec(page) ?? [];
    const path = `/portal/new-passkeys/${judgement}`;
    const response = await browser.postForm(path, { csrf: csrfOf(page), to, ids });
    return [response.status, response.headers.get('location')];
  };

  const judgeIn = ({ browser, page }: { browser: OAuthBrowser; page: string }) =>
    judge(browser, page, 'keep');

  it('POST /login/sessions: shows a passkey that was added since the last login with the wallet, until it is kept', async () => {
    const user = await owner();
    expect(await (await user.browser.open('/portal')).text()).toContain('If you did not add it, remove it');
    const { browser, next, page } = await logInByWallet(user, '/portal/profile');
    expect(next).toBe('/portal/new-passkeys');
    expect(page).toContain('Remove all passkeys and end other sessions');
    expect((await logInByWallet(user)).next).toBe(next);
    expect(await judge(browser, page, 'keep')).toEqual([303, '/portal/profile']);
    expect((await logInByWallet(user)).next).toBeUndefined();
    expect(await (await browser.open('/portal')).text()).not.toContain('If you did not add it, remove it');
    expect((await logIn(user)).status).toBe(200);
  });

  it('T291: POST /portal/new-passkeys/keep: keeps no passkey that was added in the same session, or by another user', async () => {
    const [user, other] = [await owner(), await owner()];
    const { page } = await logInByWallet(other);
    const forged = page.replace(/name="ids" value="[^"]*"/, `name="ids" value="${user.id}"`);
    // The session in which the passkey was added, and a session of somebody else.
    const csrf = csrfOf(await (await user.browser.open('/portal/passkeys')).text());
    await user.browser.postForm('/portal/new-passkeys/keep', { csrf, ids: user.id });
    const stranger = await logInByWallet(other);
    const strangersPage = forged.replace(csrfOf(forged), csrfOf(stranger.page));
    await judge(stranger.browser, strangersPage, 'keep');
    expect((await logInByWallet(user)).next).toBe('/portal/new-passkeys');
    expect((await logInByWallet(other)).next).toBe('/portal/new-passkeys');
  });

  it('POST /portal/new-passkeys/remove: removes all passkeys of the user, and ends every other session at once', async () => {
    const [user, other] = [await owner(), await owner()];
    const { browser: byPasskey } = await logIn(user);
    const { browser: victim } = await logIn(other);
    const { browser, page } = await logInByWallet(user);
    expect(await judge(browser, page, 'remove')).toEqual([303, '/portal']);
    expect(await isSignedIn(browser)).toBe(true);
    expect(await isSignedIn(byPasskey)).toBe(false);
    expect(await isSignedIn(user.browser)).toBe(false);
    expect((await logIn(user)).code).toBe('passkey_invalid');
    expect(await isSignedIn(victim)).toBe(true);
    expect((await logIn(other)).status).toBe(200);
  });

  it('T298: POST /portal/new-passkeys/remove: lets no passkey stay that another session adds meanwhile', async () => {
    for (let round = 0; round < 6; round++) {
      const user = await owner();
      const options = await optionsFor(user.browser);
      const authenticator = new SoftwareAuthenticator();
      const response = authenticator.create({ origin, challenge: options.challenge });
      const csrf = csrfOf(await (await user.browser.open('/portal/passkeys')).text());
      const { browser, page } = await logInByWallet(user);
      const [added, removed] = await Promise.all([
        user.browser.post('/portal/passkeys', { csrf, userHandle: options.user.id, response }),
        judge(browser, page, 'remove'),
      ]);
      expect([200, 401, 403]).toContain(added.status);
      expect(removed).toEqual([303, '/portal']);
      const login = await logIn({ ...user, authenticator, userHandle: options.user.id });
      expect(login.code).toBe('passkey_invalid');
    }
  });

  it('POST /portal/new-passkeys/keep: lets a passkey sign in again that was blocked for its counter', async () => {
    const user = await owner();
    await judgeIn(await logInByWallet(user));
    expect((await logIn(user, { counter: 100 })).status).toBe(200);
    expect((await logIn(user, { counter: 5 })).code).toBe('passkey_invalid');
    expect((await logIn(user, { counter: 101 })).code).toBe('passkey_invalid');
    expect(await (await user.browser.open('/portal')).text()).toContain('may have\n  been copied');
    const shown = await logInByWallet(user);
    expect(shown.page).toContain('somebody may have a copy');
    await judgeIn(shown);
    expect((await logIn(user, { counter: 6 })).status).toBe(200);
    expect((await logIn(user, { counter: 6 })).code).toBe('passkey_invalid');
  });

  it('GET /portal/new-passkeys: asks a user of a passkey for the wallet, and leads nowhere else', async () => {
    const user = await owner();
    const { browser } = await logIn(user);
    const asked = await browser.open('/portal/new-passkeys');
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('again=yes'),
    ]);
    const { browser: byWallet } = await logInByWallet(user);
    for (const to of ['https://evil.example', '//evil.example', '/login/a/cancel']) {
      const text = await (
        await byWallet.open(`/portal/new-passkeys?${new URLSearchParams({ to }).toString()}`)
      ).text();
      expect(text).toContain('name="to" value="/portal/communities"');
    }
  });

  it('POST /portal/passkeys: needs a wallet login of the last 15 minutes, and stores ten passkeys at most', async () => {
    const user = await owner();
    const options = await optionsFor(user.browser);
    const answer = new SoftwareAuthenticator().create({ origin, challenge: options.challenge });
    const age = (minutes: number) =>
      world.query(
        `UPDATE identity.browser_sessions SET signed_in_at = now() - make_interval(mins => $2) WHERE user_id = $1`,
        [idOf(user.browser), minutes],
      );
    const { csrf } = { csrf: csrfOf(await (await user.browser.open('/portal/passkeys')).text()) };
    await age(16);
    const late = await user.browser.post('/portal/passkeys', {
      csrf,
      userHandle: options.user.id,
      response: answer,
    });
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('recent_login_required')]);
    await age(1);
    expect((await add(user.browser, options, answer)).status).toBe(200);
    expect((await add(user.browser, await optionsFor(user.browser), answer)).code).toBe('passkey_invalid');
    for (let count = 2; count < 10; count++) {
      const next = await optionsFor(user.browser);
      const made = new SoftwareAuthenticator().create({ origin, challenge: next.challenge });
      expect((await add(user.browser, next, made)).status).toBe(200);
    }
    expect((await post(user.browser, '/portal/passkeys', '/portal/passkeys/options', {})).code).toBe(
      'passkey_limit_exceeded',
    );
  });

  it('T297: POST /login/passkey-sessions and /portal/passkeys: answer 400, never 5xx, whatever bytes an authenticator sends', async () => {
    const user = await owner();
    const browser = new OAuthBrowser(origin);
    const csrf = csrfOf(await (await browser.open('/login')).text());
    const challenge = await challengeFor(browser);
    const options = await optionsFor(user.browser);
    const portalCsrf = csrfOf(await (await user.browser.open('/portal/passkeys')).text());
    const login = user.authenticator.get({ origin, challenge, counter: 1 }, user.userHandle);
    const made = new SoftwareAuthenticator().create({ origin, challenge: options.challenge });
    // The library ignores the tag and length that stand before an ECDSA signature's two numbers.
    const mutate = (base64: string, start: number, offset: number, value: number, cut: number) => {
      const data = Buffer.from(base64, 'base64url');
      const at = start + (offset % (data.length - start));
      data[at] = (data[at] ?? 0) ^ value;
      return data.subarray(0, data.length - (cut % data.length)).toString('base64url');
    };
    const change = fc.tuple(
      fc.nat(400),
      fc.integer({ min: 1, max: 255 }),
      fc.oneof(fc.constant(0), fc.nat(60)),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(1), fc.nat(2), change, async (kind, which, mutation) => {
        const [path, token, visitor, base] =
          kind === 0
            ? (['/login/passkey-sessions', csrf, browser, login] as const)
            : (['/portal/passkeys', portalCsrf, user.browser, made] as const);
        const fields = Object.keys(base.response).filter(
          (name) => name !== 'transports' && name !== 'userHandle',
        );
        const name = fields[which % fields.length] ?? '';
        const original = String((base.response as Record<string, unknown>)[name]);
        const mutated = mutate(original, name === 'signature' ? 2 : 0, ...mutation);
        const response = { ...base, response: { ...base.response, [name]: mutated } };
        const body = { csrf: token, response, ...(kind === 1 && { userHandle: options.user.id }) };
        const { status } = await visitor.post(path, body);
        // A bit of the authenticator data that nothing signs may change in a registration, which then succeeds.
        expect(kind === 0 ? [400] : [200, 400, 409]).toContain(status);
      }),
      { numRuns: 150 },
    );
  });

  it('GET /portal/passkeys: says that passkeys need a host name where the login pages have none', async () => {
    const other = await OAuthWorld.lease();
    const browser = await other.user();
    const page = await (await browser.open('/portal/passkeys')).text();
    expect(page).toContain('need https and a host name');
    const refused = await browser.post('/portal/passkeys/options', { csrf: csrfOf(page) });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('passkeys_not_available'),
    ]);
    expect(await (await new OAuthBrowser(other.origin).open('/login')).text()).not.toContain('id="passkey"');
  });
});
