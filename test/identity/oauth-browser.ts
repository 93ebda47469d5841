import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

interface Cookie {
  value: string;
  path: string;
}

const HTML_CSRF = /data-csrf="(?<data>[^"]+)"|name="csrf" value="(?<field>[^"]+)"/;

/** A minimal browser for sign-in: cookies with paths, redirects and a wallet. */
export class OAuthBrowser {
  readonly cookies = new Map<string, Cookie>();
  readonly wallet = privateKeyToAccount(generatePrivateKey());

  constructor(readonly origin: string) {}

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url, this.origin);
    const headers = new Headers(init.headers);
    headers.set('cookie', this.cookiesFor(target.pathname));
    if (init.method === 'POST') headers.set('origin', this.origin);
    const response = await fetch(target, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  }

  /** Follows redirects and meta refreshes within this origin. @returns the last response and its redirect target */
  async follow(
    url: string,
    init?: RequestInit,
  ): Promise<{ response: Response; url: string; location?: string }> {
    let next = new URL(url, this.origin).href;
    let response = await this.open(next, init);
    for (let steps = 0; steps < 12; steps++) {
      const location = response.headers.get('location') ?? (await refreshOf(response));
      if (location === undefined) return { response, url: next };
      const target = new URL(location, next);
      if (target.origin !== this.origin) return { response, url: next, location };
      next = target.href;
      await response.body?.cancel();
      response = await this.open(next);
    }
    throw new Error(`The redirects do not end: ${next}`);
  }

  /** Signs in at the login page with the browser's wallet or with the given one. */
  async signIn(path = '/login', wallet = this.wallet): Promise<void> {
    const csrf = csrfOf(await (await this.open(path)).text());
    const accountId = `eip155:1:${wallet.address}`;
    const challenge = await this.post('/login/challenges', { csrf, accountId });
    const { requestId, message } = (await challenge.json()) as { requestId: string; message: string };
    const signature = await wallet.signMessage({ message });
    const [, uid] = /^\/login\/(.+)$/.exec(path) ?? [];
    const answer = { csrf, requestId, accountId, signatureType: 'eip191', signature, uid };
    const session = await this.post('/login/sessions', answer);
    if (session.status !== 200) throw new Error(`Nobody is signed in: ${await session.text()}`);
  }

  post(path: string, body: object): Promise<Response> {
    return this.open(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  postForm(path: string, fields: Record<string, string>): Promise<Response> {
    return this.open(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** A copy of the browser with the same cookies, which change independently. */
  twin(): OAuthBrowser {
    const twin = new OAuthBrowser(this.origin);
    for (const [name, cookie] of this.cookies) twin.cookies.set(name, cookie);
    return twin;
  }

  private cookiesFor(path: string): string {
    const sent = [...this.cookies].filter(([, cookie]) => isUnder(path, cookie.path));
    return sent.map(([key, { value }]) => `${key.split('@')[0] ?? ''}=${value}`).join('; ');
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const isGone =
      value === '' || attributes.some((one) => /^(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(one));
    if (isGone) this.cookies.delete(`${name}@${path}`);
    else this.cookies.set(`${name}@${path}`, { value, path });
  }
}

const isUnder = (path: string, base: string): boolean =>
  base === '/' || path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`);

/** The target of a page's meta refresh. */
async function refreshOf(response: Response): Promise<string | undefined> {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return undefined;
  return /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(await response.clone().text())?.[1];
}

export function csrfOf(html: string): string {
  const { data, field } = HTML_CSRF.exec(html)?.groups ?? {};
  const csrf = data ?? field;
  if (csrf === undefined) throw new Error(`A page without a token: ${html.slice(0, 2_000)}`);
  return csrf;
}
