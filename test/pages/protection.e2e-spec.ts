import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { AuthorizationRequest, createApplication, type TestApplication } from './test-application.js';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

describeInBrowser('the security of the pages', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let member: Visitor;

  beforeAll(async () => {
    pages = await leasePages();
    shop = await createApplication(pages.suite);
    member = await pages.member();
  });

  afterAll(async () => {
    await pages.stop();
    await shop.stop();
  });

  const cookieOf = async ({ context }: Visitor) =>
    (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');

  const csrfOf = async ({ page }: Visitor) => {
    await page.goto('/portal');
    return page.locator('input[name=csrf]').first().inputValue();
  };

  function checkHeaders(headers: Headers | Record<string, string>, html: string): void {
    const all = new Headers(headers);
    const policy = all.get('content-security-policy')?.split('; ') ?? [];
    expect(policy.sort()).toEqual([...POLICY].sort());
    for (const [name, value] of Object.entries(HEADERS)) expect([name, all.get(name)]).toEqual([name, value]);
    expect(all.get('access-control-allow-origin')).toBeNull();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
  }

  it.each([
    '/login',
    '/login/signed-out',
    '/login?to=%2Fportal&again=yes',
    '/login/no-such-request',
    '/consent/no-such-request',
    '/portal',
    '/portal/applications/new',
    '/portal/applications/client_of_nobody',
    '/portal/connections',
    '/portal/communities',
    '/portal/communities/community_none/analytics/roles-added.json',
    '/portal/claims',
    '/portal/verifiable-credentials',
    '/portal/profile',
    '/portal/approvals',
  ])('security of the pages: sets security headers on %s', async (path) => {
    const headers = { cookie: await cookieOf(member) };
    const response = await fetch(pages.suite.gatewayUrl + path, { headers, redirect: 'manual' });
    checkHeaders(response.headers, await response.text());
  });

  it('security of the pages: sets security headers on the pages of an authorization request', async () => {
    const visitor = await pages.visitor();
    const login = await visitor.page.goto(new AuthorizationRequest(pages.suite.gatewayUrl, shop).url);
    checkHeaders(login?.headers() ?? {}, (await login?.text()) ?? '');
    await visitor.page.getByRole('button', { name: 'Test Wallet' }).click();
    const consent = await visitor.page.waitForResponse(/\/consent\//);
    checkHeaders(consent.headers(), await consent.text());
    expect(visitor.complaints).toEqual([]);
  });

  it('security of the pages: caches scripts and styles indefinitely under a content hash', async () => {
    const html = await (await fetch(`${pages.suite.gatewayUrl}/login`)).text();
    const paths = [...html.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const asset = await fetch(pages.suite.gatewayUrl + path);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await asset.text()).not.toContain('sourceMappingURL');
      const other = await fetch(
        pages.suite.gatewayUrl + path.replace(/pages\/\w+/, 'pages/0123456789abcdef'),
      );
      expect(other.headers.get('cache-control')).toBe('no-store');
    }
    for (const name of ['tsconfig.json', '..%2Flayout.eta', 'login.ts', 'no-such.js'])
      expect((await fetch(`${pages.suite.gatewayUrl}/pages/x/${name}`)).status).toBeGreaterThanOrEqual(400);
  });

  it('security of the pages: sets the session cookie with HttpOnly and SameSite', async () => {
    const { headers } = await fetch(`${pages.suite.gatewayUrl}/login`);
    expect(headers.get('set-cookie')).toMatch(
      /^gatehouse_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('security of the pages: refuses cross-site requests', async () => {
    const csrf = await csrfOf(member);
    const strangersToken = await csrfOf(await pages.member());
    const cookie = await cookieOf(member);
    const own = pages.suite.gatewayUrl;
    const post = async (token: string | undefined, headers: Record<string, string>, path = '/logout') => {
      const response = await fetch(own + path, {
        method: 'POST',
        headers: { cookie, ...headers },
        body: new URLSearchParams(
          token === undefined ? { name: 'x' } : { csrf: token, form: 'A'.repeat(43), name: 'Shop' },
        ),
        redirect: 'manual',
      });
      return response.status;
    };
    const fromHere = { origin: own, 'sec-fetch-site': 'same-origin' };
    for (const path of [
      '/logout',
      '/portal/applications',
      '/portal/connections/c/revoke',
      '/portal/claims/c/revoke',
      '/portal/verifiable-credentials/c/revoke',
      '/portal/profile',
    ]) {
      expect(await post(undefined, fromHere, path)).toBe(403);
      expect(await post('', fromHere, path)).toBe(403);
      expect(await post(`${csrf.slice(0, -1)}_`, fromHere, path)).toBe(403);
      expect(await post(strangersToken, fromHere, path)).toBe(403);
      expect(await post(csrf, { origin: 'https://evil.example' }, path)).toBe(403);
      expect(await post(csrf, { origin: 'null' }, path)).toBe(403);
      expect(await post(csrf, { ...fromHere, 'sec-fetch-site': 'same-site' }, path)).toBe(403);
      expect(await post(csrf, { ...fromHere, 'sec-fetch-site': 'cross-site' }, path)).toBe(403);
      expect(await post(csrf, { ...fromHere, origin: `${own}.evil.example` }, path)).toBe(403);
      expect(await post(csrf, {}, path)).toBe(403);
    }
    await member.page.goto('/portal');
    expect(await member.page.getByRole('link', { name: 'Shop' }).count()).toBe(0);
    expect(await post(csrf, fromHere, '/portal/applications')).toBe(303);
    expect(await post(csrf, { origin: own })).toBe(303);
  });

  it('security of the pages: refuses a cross-site form in a real browser', async () => {
    const visitor = await pages.member();
    const csrf = await csrfOf(visitor);
    const { page } = visitor;
    await page.goto(shop.redirectUri);
    await page.evaluate(
      `document.body.innerHTML = '<form method="post" action="${pages.suite.gatewayUrl}/logout"><input name="csrf" value="${csrf}"></form>';
       document.forms[0].submit();`,
    );
    await page.getByText('This request came from another site.').waitFor();
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('security of the pages: ignores a duplicate session cookie', async () => {
    const visitor = await pages.member();
    const headers = { cookie: `gatehouse_session=${'A'.repeat(43)}; ${await cookieOf(visitor)}` };
    const response = await fetch(`${pages.suite.gatewayUrl}/portal`, { headers, redirect: 'manual' });
    expect(response.status).toBe(303);
  });

  it('security of the pages: escapes user input', async () => {
    const visitor = await pages.member();
    const name = `"><img src=x onerror="document.title='owned'"><script>1</script>'`;
    await visitor.page.goto('/portal/applications/new');
    await visitor.page.getByLabel('Name', { exact: true }).fill(name);
    await visitor.page.getByRole('button', { name: 'Register application' }).click();
    await visitor.page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
    await visitor.page.goto('/portal');
    await visitor.page.getByRole('link', { name }).click();
    expect(await visitor.page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
    expect(await visitor.page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    expect(await visitor.page.locator('img:not(.logo)').count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it('security of the pages: does not log secrets or codes', () => {
    for (const name of ['identity', 'gateway']) {
      const log = pages.suite.app(name).logLines.join('\n');
      expect(log).not.toMatch(/gths?_[a-z]+_\w{12}_|gatehouse_session=|csrf=|[?&]code=/);
    }
  });
});
