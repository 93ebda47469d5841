import { hkdfSync } from 'node:crypto';
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { OAUTH_PATHS } from './oauth-paths.js';

/**
 * Headers of oidc-provider's responses to browsers: redirects and the page of `response_mode=form_post`, whose script
 * oidc-provider adds to `script-src` by its hash. There is no `form-action`, because it would also apply to redirects
 * of the application. The referrer policy keeps the `Origin` header, which applications may check.
 */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'strict-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Adds the security headers to every response of the authorization endpoint. */
export function addBrowserSecurityHeaders(provider: Provider): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    if (context.path.startsWith(OAUTH_PATHS.authorization)) context.set(HEADERS);
    await next();
  });
}

const KEY_BYTES = 32;
const KEY_DERIVATION_INFO = 'gatehouse oauth2 cookies';

/** The cookie signing key is derived from the deployment's secret, so that all instances share it. */
const deriveCookieKey = (secret: Buffer): string =>
  Buffer.from(hkdfSync('sha256', secret, '', KEY_DERIVATION_INFO, KEY_BYTES)).toString('base64url');

/**
 * The session cookie is bound to the host. The cookies of an authorization request are bound to its paths, so that two tabs
 * do not overwrite each other's; they use `__Secure-`, because `__Host-` requires the path `/`.
 */
export function createCookieConfig(secret: Buffer, isHttps: boolean): NonNullable<Configuration['cookies']> {
  const [host, secure] = isHttps ? ['__Host-', '__Secure-'] : ['', ''];
  const flags = { httpOnly: true, sameSite: 'lax', secure: isHttps, signed: true } as const;
  return {
    keys: [deriveCookieKey(secret)],
    names: {
      session: `${host}gatehouse_oauth`,
      interaction: `${secure}gatehouse_interaction`,
      resume: `${secure}gatehouse_resume`,
    },
    long: { ...flags, path: '/' },
    short: flags,
  };
}
