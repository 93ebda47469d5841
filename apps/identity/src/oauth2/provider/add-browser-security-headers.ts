import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { OAUTH_PATHS } from './oauth-paths.js';

/**
 * For what browsers are answered besides our own pages: redirects, and the page that posts an answer to an application
 * (`response_mode=form_post`), to whose script oidc-provider gives leave by its hash. Where that application sends the browser
 * on to is its own business, so nothing is said about the targets of forms. Applications may look at `Origin`.
 */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'strict-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Says with every answer to a browser what may be done with it. */
export function addBrowserSecurityHeaders(provider: Provider): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    if (context.path.startsWith(OAUTH_PATHS.authorization)) context.set(HEADERS);
    await next();
  });
}
