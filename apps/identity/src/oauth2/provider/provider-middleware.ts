import { hkdfSync } from 'node:crypto';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { OAUTH_PATHS } from './oauth-paths.js';
import { RETRY_AFTER_SECONDS, AppError } from '@app/common';
import {
  negotiateContentType,
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
  toFormBody,
  TOKEN_RESPONSE_METADATA,
} from './negotiate-content-type.js';
import type { EventEmitter } from 'node:events';
import type { Logger } from '@app/service';
import type { ClientRateLimiter } from '../clients/client-rate-limiter.js';

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

const CLIENT_PATHS: readonly string[] = [
  OAUTH_PATHS.token,
  OAUTH_PATHS.introspection,
  OAUTH_PATHS.revocation,
];

/**
 * spec.md 5.2 requires token responses as a form. Most client libraries need JSON and request it in `Accept`; OpenID Connect
 * knows JSON only (contract.md section 4). Introspection responses are JSON (RFC 7662).
 */
export function formatClientResponses(provider: Provider): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    const { path } = context;
    if (!CLIENT_PATHS.includes(path)) {
      await next();
      return;
    }
    const type = negotiateContentType(context.get('Accept'), (...types) => context.accepts(...types));
    // oidc-provider would render errors as HTML for clients that accept it.
    context.request.header.accept = JSON_CONTENT_TYPE;
    await next();
    if (context.status === 429 && !context.response.get('Retry-After'))
      context.set('Retry-After', String(RETRY_AFTER_SECONDS.turn));
    // RFC 7009 leaves the body empty, but some clients parse it as JSON.
    if (path === OAUTH_PATHS.revocation && context.status === 200) context.body = {};
    if (path === OAUTH_PATHS.token) formatTokenResponse(context, type ?? getDefaultContentType(context));
  });
}

/** JSON for a granted `openid`, unless the application has kept the form. Errors grant nothing and stay a form. */
function getDefaultContentType({ body, oidc }: KoaContextWithOIDC): string {
  const scope = typeof body === 'object' && body !== null && 'scope' in body ? String(body.scope) : '';
  const isOpenId = scope.split(' ').includes('openid');
  return isOpenId && oidc.client?.[TOKEN_RESPONSE_METADATA] === 'json'
    ? JSON_CONTENT_TYPE
    : FORM_CONTENT_TYPE;
}

function formatTokenResponse(context: KoaContextWithOIDC, type: string): void {
  context.vary('Accept');
  if (type !== FORM_CONTENT_TYPE || typeof context.body !== 'object' || context.body === null) return;
  context.body = toFormBody(context.body);
  context.set('Content-Type', FORM_CONTENT_TYPE);
}

/**
 * Counts token requests of public clients once their code or refresh token has proved valid, before it is used up. Before
 * that anyone could have sent them. oidc-provider has no hook at this point.
 */
export function countPublicGrants(provider: Provider, rateLimiter: ClientRateLimiter): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.RefreshToken]) {
    const { consume } = prototype;
    prototype.consume = async function (this: typeof prototype) {
      const client = Provider.ctx?.oidc.client;
      if (client) await rateLimiter.countPublicRequest(client);
      await consume.call(this);
    };
  }
}

/** Logs server errors only: the events of client errors contain codes and tokens. */
export function logProviderErrors(provider: Provider, logger: Logger): void {
  provider.on('server_error', (context: KoaContextWithOIDC, error: unknown) => {
    if (error instanceof AppError) {
      const { retryAfter } = error.details;
      if (typeof retryAfter === 'number') context.set('Retry-After', String(retryAfter));
      logger.warn({ operation: context.oidc.route, err: error }, 'OAuth request failed temporarily');
    } else {
      logger.error({ operation: context.oidc.route, err: error }, 'OAuth request failed');
    }
  });
  // Koa emits this for a response that could not be written.
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown) => {
    logger.error({ err: error }, 'Writing an OAuth response failed');
  });
}
