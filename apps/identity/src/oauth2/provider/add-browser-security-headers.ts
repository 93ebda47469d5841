import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
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
