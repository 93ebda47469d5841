import { RETRY_AFTER_SECONDS } from '@app/common';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { OAUTH_PATHS } from './oauth-paths.js';
import {
  negotiateContentType,
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
  toFormBody,
  TOKEN_RESPONSE_METADATA,
} from './negotiate-content-type.js';

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
