import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { type Application, CALLBACK, OAuthWorld, proofKey } from './oauth-world.js';

const OUT = 'https://app.example/out';
const ICON = 'https://app.example/icon.png';

/** Names and addresses that owners of applications give themselves, as users and operators see them. */
describe('reviewed applications', () => {
  let world: OAuthWorld;
  let owner: OAuthBrowser;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
  });

  // A free plan has room for few applications.
  beforeEach(async () => {
    owner = await world.user();
  });

  /** Registers an application by the portal, as any user may. */
  async function register(more: Record<string, string> = {}): Promise<Application> {
    const page = await (await owner.open('/portal/applications/new')).text();
    const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const fields = { csrf: csrfOf(page), form, name: 'Your Bank', iconUrl: ICON, redirectUris: CALLBACK };
    const made = await owner.follow('/portal/applications', {
      method: 'POST',
      body: new URLSearchParams({ ...fields, 'scope.user:read': 'on', postLogoutRedirectUris: OUT, ...more }),
    });
    const [, clientId = ''] = /\/portal\/applications\/(client_\w+)"/.exec(await made.response.text()) ?? [];
    return { clientId, clientSecret: '', apiKey: '', ownerId: '' };
  }

  async function change({ clientId }: Application, fields: Record<string, string>): Promise<void> {
    const path = `/portal/applications/${clientId}`;
    const csrf = csrfOf(await (await owner.open(path)).text());
    const kept = { name: 'Your Bank', iconUrl: ICON, redirectUris: CALLBACK, postLogoutRedirectUris: OUT };
    const answer = await owner.postForm(path, { csrf, ...kept, 'scope.user:read': 'on', ...fields });
    expect(answer.status).toBe(303);
  }

  /** What an operator's approval writes; operators.e2e-spec.ts sends approvals. */
  const approve = ({ clientId }: Application) =>
    world.query('UPDATE identity.client_applications SET reviewed_revision = revision WHERE id = $1', [
      clientId,
    ]);

  const requestOf = ({ clientId }: Application, redirectUri = CALLBACK, more: Record<string, string> = {}) =>
    world.authorizeUrl({
      ...more,
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'user:read',
    });

  /** The login, consent, continue, connections and logout pages of an application. */
  async function listPages(application: Application): Promise<Record<string, string>> {
    const stranger = new OAuthBrowser(world.origin);
    const login = await (await stranger.follow(requestOf(application))).response.text();
    const user = await world.user();
    const asked = await user.follow(requestOf(application));
    const consent = await asked.response.text();
    const form = { csrf: csrfOf(consent), decision: 'grant', 'scope.user:read': 'on' };
    const path = new URL(asked.url).pathname;
    const continued = await (await user.postForm(path, form)).text();
    const connections = await (await user.open('/portal/connections')).text();
    const query = new URLSearchParams({ client_id: application.clientId, post_logout_redirect_uri: OUT });
    const logout = await (await user.follow(`/oauth2/logout?${query.toString()}`)).response.text();
    return { login, consent, continued, connections, logout };
  }

  const ALL = ['login', 'consent', 'continued', 'connections', 'logout'];
  const naming = (pages: Record<string, string>, text: string) =>
    Object.keys(pages).filter((name) => pages[name]?.includes(text));

  it('T255: pages of an application that no operator has reviewed: show its host or client id and "not reviewed", never its name or icon', async () => {
    const pages = await listPages(await register());
    expect(naming(pages, 'Your Bank')).toEqual([]);
    expect(naming(pages, ICON)).toEqual([]);
    expect(naming(pages, 'not reviewed')).toEqual(ALL);
    expect(naming(pages, '>app.example<')).toEqual(ALL.filter((name) => name !== 'connections'));
  });

  it('T255: pages of a native application that no operator has reviewed: show its client id, because anyone may choose its scheme', async () => {
    const NATIVE = 'com.yourbank:/cb';
    const native = await register({ type: 'public', redirectUris: NATIVE, postLogoutRedirectUris: NATIVE });
    const user = await world.user();
    const pkce = { code_challenge: proofKey().challenge, code_challenge_method: 'S256' };
    const consent = await (await user.follow(requestOf(native, NATIVE, pkce))).response.text();
    const query = new URLSearchParams({ client_id: native.clientId, post_logout_redirect_uri: NATIVE });
    const logout = await (await user.follow(`/oauth2/logout?${query.toString()}`)).response.text();
    expect(consent).toContain(`<title>Allow ${native.clientId}?`);
    for (const page of [consent, logout]) {
      expect(page).toMatch(new RegExp(`<strong[^>]*>${native.clientId}</strong>`));
      expect(page).not.toMatch(/(?:<strong[^>]*>|Allow )com\.yourbank/);
      expect(page).toContain('not reviewed');
    }
  });

  it('T255: pages of an application whose owner renames it: show the approved name and icon until the change is approved', async () => {
    const application = await register();
    await approve(application);
    expect(naming(await listPages(application), 'Your Bank')).toEqual(ALL);
    await change(application, { name: 'Other Bank', iconUrl: 'https://evil.example/icon.png' });
    const pages = await listPages(application);
    expect(naming(pages, 'Your Bank')).toEqual(ALL);
    expect(naming(pages, ICON)).toEqual(['consent']);
    expect([...naming(pages, 'Other Bank'), ...naming(pages, 'evil.example')]).toEqual([]);
    expect(naming(pages, 'not reviewed')).toEqual([]);
  });

  it('T255: redirect URIs of a reviewed application: added ones wait, removed ones stop working at once', async () => {
    const application = await register();
    await approve(application);
    const added = 'https://evil.example/cb';
    const user = await world.user();
    const isAllowed = async (uri: string) => (await user.follow(requestOf(application, uri))).response.status;
    const leadsOut = async (uri: string) => {
      const query = new URLSearchParams({ client_id: application.clientId, post_logout_redirect_uri: uri });
      return (await (await user.follow(`/oauth2/logout?${query.toString()}`)).response.text()).includes(uri);
    };
    await change(application, {
      redirectUris: `${CALLBACK}\n${added}`,
      postLogoutRedirectUris: `${OUT}\n${added}`,
    });
    expect([await isAllowed(CALLBACK), await isAllowed(added)]).toEqual([200, 400]);
    expect([await leadsOut(OUT), await leadsOut(added)]).toEqual([true, false]);
    await change(application, { redirectUris: added, postLogoutRedirectUris: added });
    expect([await isAllowed(CALLBACK), await isAllowed(added)]).toEqual([400, 400]);
    expect([await leadsOut(OUT), await leadsOut(added)]).toEqual([false, false]);
  });

  const stored = async ({ clientId }: Application) =>
    (
      await world.query(
        `SELECT name, status, waiting_values->>'name' AS waiting, reviewed_revision = revision AS reviewed
         FROM identity.client_applications WHERE id = $1`,
        [clientId],
      )
    )[0];

  it('T255: client set-scopes: approves scopes, and no name that waits', async () => {
    const application = await register();
    await approve(application);
    await change(application, { name: 'Other Bank' });
    await world.suite.clientCommand(['set-scopes', application.clientId, '--scopes', 'user:read,accountkit']);
    expect(await stored(application)).toEqual({
      name: 'Your Bank',
      status: 'pending',
      waiting: 'Other Bank',
      reviewed: true,
    });
    const other = await register();
    await world.suite.clientCommand(['set-scopes', other.clientId, '--scopes', 'accountkit']);
    expect(await stored(other)).toMatchObject({ status: 'approved', reviewed: null });
  });

  it('T255: client set: makes an application reviewed only with every value that it has', async () => {
    const { clientId } = await register();
    const set = (...flags: string[]) => world.suite.clientCommand(['set', clientId, ...flags]);
    const isReviewed = async () =>
      (
        await world.query('SELECT reviewed_revision AS at FROM identity.client_applications WHERE id = $1', [
          clientId,
        ])
      )[0];
    await set('--icon-url', 'https://shop.example/icon.png');
    expect(await isReviewed()).toEqual({ at: null });
    const addresses = ['--redirect-uris', CALLBACK, '--post-logout-redirect-uris', OUT];
    await set('--name', 'Shop', '--icon-url', ICON, ...addresses);
    expect(await isReviewed()).toEqual({ at: 3 });
  });

  it.each(['login', 'consent', 'code'])(
    'T259: authorization request whose redirect URI is removed before the %s: ends on an error page, without a code',
    async (step) => {
      const application = await register();
      const user = step === 'login' ? new OAuthBrowser(world.origin) : await world.user();
      const { response, url } = await user.follow(requestOf(application));
      const page = await response.text();
      const form = { csrf: csrfOf(page), decision: 'grant', 'scope.user:read': 'on' };
      const path = new URL(url).pathname;
      expect(path).toMatch(step === 'login' ? /^\/login\// : /^\/consent\//);
      const granted = step === 'code' ? await (await user.postForm(path, form)).text() : '';
      await change(application, { redirectUris: 'https://app.example/other' });
      const resume = /url=([^"]+)"/.exec(granted)?.[1];
      if (step === 'login') {
        // Cancelling would return to the application with an error.
        const cancelled = await user.follow(`${path}/cancel`, {
          method: 'POST',
          body: new URLSearchParams({ csrf: form.csrf }),
        });
        expect([cancelled.location, cancelled.response.status]).toEqual([undefined, 400]);
      }
      const ended =
        step === 'code'
          ? await user.follow(resume ?? '')
          : await user.follow(
              path,
              step === 'consent' ? { method: 'POST', body: new URLSearchParams(form) } : {},
            );
      expect(ended.location).toBeUndefined();
      expect(ended.response.status).toBe(400);
      expect(await ended.response.text()).toContain(
        step === 'code' ? 'redirect_uri' : 'no longer uses the address',
      );
    },
  );

  it('T255: redirect URIs of an application that was never reviewed: work when they are registered', async () => {
    const application = await register();
    const added = 'https://app.example/other';
    await change(application, { redirectUris: `${CALLBACK}\n${added}` });
    const user = await world.user();
    expect((await user.follow(requestOf(application, added))).response.status).toBe(200);
  });

  it('T255: reviewed applications: a change by an instance of the previous release, which knows no review, is not shown as reviewed', async () => {
    const application = await register();
    await approve(application);
    await world.query(
      `UPDATE identity.client_applications SET name = 'Other Bank', revision = revision + 1 WHERE id = $1`,
      [application.clientId],
    );
    const pages = await listPages(application);
    expect(naming(pages, 'Bank')).toEqual([]);
    expect(naming(pages, 'not reviewed')).toEqual(ALL);
  });
});
