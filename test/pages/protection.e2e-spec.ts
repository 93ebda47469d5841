import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from './chromium.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';
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

describeInBrowser('the pages’ protection', () => {
  let pages: PagesUnderTest;
  let shop: TestApplication;
  let member: Visitor;

  beforeAll(async () => {
    pages = await pagesUnderTest();
    shop = await createApplication(pages.suite);
    member = await pages.member();
  }, 60_000);

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
    '/login?to=%2Fportal&again=yes',
    '/login/no-such-request',
    '/consent/no-such-request',
    '/portal',
    '/portal/applications/new',
    '/portal/applications/client_of_nobody',
    '/portal/connections',
    '/portal/approvals',
  ])('stands on %s', async (path) => {
    const headers = { cookie: await cookieOf(member) };
    const response = await fetch(pages.suite.gatewayUrl + path, { headers, redirect: 'manual' });
    checkHeaders(response.headers, await response.text());
  });

  it('stands on the pages of an application’s request', async () => {
    const one = await pages.visitor();
    const login = await one.page.goto(new AuthorizationRequest(pages.suite.gatewayUrl, shop).url);
    checkHeaders(login?.headers() ?? {}, (await login?.text()) ?? '');
    await one.page.getByRole('button', { name: 'Test Wallet' }).click();
    const consent = await one.page.waitForResponse(/\/consent\//);
    checkHeaders(consent.headers(), await consent.text());
    expect(one.complaints).toEqual([]);
  });

  it('keeps scripts and styles for ever under a name that follows from them', async () => {
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

  it('keeps the session from scripts and from other sites', async () => {
    const { headers } = await fetch(`${pages.suite.gatewayUrl}/login`);
    expect(headers.get('set-cookie')).toMatch(
      /^gatehouse_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('lets no other site do anything', async () => {
    const csrf = await csrfOf(member);
    const strangersToken = await csrfOf(await pages.member());
    const cookie = await cookieOf(member);
    const own = pages.suite.gatewayUrl;
    const post = async (token: string | undefined, headers: Record<string, string>, path = '/logout') => {
      const response = await fetch(own + path, {
        method: 'POST',
        headers: { cookie, ...headers },
        body: new URLSearchParams(token === undefined ? { name: 'x' } : { csrf: token, name: 'Shop' }),
        redirect: 'manual',
      });
      return response.status;
    };
    const fromHere = { origin: own, 'sec-fetch-site': 'same-origin' };
    for (const path of ['/logout', '/portal/applications', '/portal/connections/c/revoke']) {
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
    expect(await post(csrf, fromHere, '/portal/applications')).toBe(200);
    expect(await post(csrf, { origin: own })).toBe(303);
  });

  it('refuses a real browser that another site sends here', async () => {
    const one = await pages.member();
    const csrf = await csrfOf(one);
    const { page } = one;
    await page.goto(shop.redirectUri);
    await page.evaluate(
      `document.body.innerHTML = '<form method="post" action="${pages.suite.gatewayUrl}/logout"><input name="csrf" value="${csrf}"></form>';
       document.forms[0].submit();`,
    );
    await page.getByText('This request came from another site.').waitFor();
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('counts two cookies of one name as none', async () => {
    const one = await pages.member();
    const headers = { cookie: `gatehouse_session=${'A'.repeat(43)}; ${await cookieOf(one)}` };
    const response = await fetch(`${pages.suite.gatewayUrl}/portal`, { headers, redirect: 'manual' });
    expect(response.status).toBe(303);
  });

  it('shows what people wrote as text', async () => {
    const one = await pages.member();
    const name = `"><img src=x onerror="document.title='owned'"><script>1</script>'`;
    await one.page.goto('/portal/applications/new');
    await one.page.getByLabel('Name', { exact: true }).fill(name);
    await one.page.getByRole('button', { name: 'Register' }).click();
    await one.page.goto('/portal');
    await one.page.getByRole('link', { name }).click();
    expect(await one.page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
    expect(await one.page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    expect(await one.page.locator('img').count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  it('keeps secrets and codes out of the logs', () => {
    for (const name of ['identity', 'gateway']) {
      const log = pages.suite.app(name).logLines.join('\n');
      expect(log).not.toMatch(/gths?_[a-z]+_\w{12}_|gatehouse_session=|csrf=|[?&]code=/);
    }
  });
});
