import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { PATHS } from './paths.js';
import { answerType, FORM, JSON_TYPE, toForm } from './answer-type.js';

const CLIENT_PATHS: readonly string[] = [PATHS.token, PATHS.introspection, PATHS.revocation];

/** The sliding second of client-shares.ts has room again then. */
const SECONDS_OF_A_LIMIT = '1';

/**
 * spec.md 5.2 wants token answers as a form; most client libraries want JSON, and all of those ask for it (contract.md
 * section 4). Errors come in the same form. About tokens everything is said in JSON (RFC 7662).
 */
export function answerClients(provider: Provider): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    const { path } = context;
    if (!CLIENT_PATHS.includes(path)) {
      await next();
      return;
    }
    const type = answerType((...types) => context.accepts(...types));
    // Otherwise somebody who accepts pages is told of an error by a page.
    context.request.header.accept = JSON_TYPE;
    await next();
    if (context.status === 429 && !context.response.get('Retry-After'))
      context.set('Retry-After', SECONDS_OF_A_LIMIT);
    // RFC 7009 leaves it empty; there are clients that read it all the same.
    if (path === PATHS.revocation && context.status === 200) context.body = {};
    if (path === PATHS.token) inForm(context, type);
  });
}

function inForm(context: KoaContextWithOIDC, type: string): void {
  context.vary('Accept');
  if (type !== FORM || typeof context.body !== 'object' || context.body === null) return;
  context.body = toForm(context.body);
  context.set('Content-Type', FORM);
}
