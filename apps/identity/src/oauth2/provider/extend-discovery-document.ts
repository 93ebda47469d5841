import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { PUBLISHED_SCOPES } from '../clients/scopes.js';

export const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** Keys are published a day before their first use; the rest changes only with a release. */
const CACHE_CONTROL = 'public, max-age=300';

/** Corrects what oidc-provider does not know: the URLs of keys and UserInfo, the implicit flow and the published scopes. */
export function extendDiscoveryDocument(provider: Provider, { jwksUri, userinfoUri }: DiscoveryUrls): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (context.path !== DISCOVERY_PATH || context.status !== 200) return;
    const document = context.body as Record<string, unknown> & { grant_types_supported: string[] };
    context.body = {
      ...document,
      jwks_uri: jwksUri,
      userinfo_endpoint: userinfoUri,
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: [...new Set([...document.grant_types_supported, 'implicit'])],
      scopes_supported: PUBLISHED_SCOPES,
      // Nothing sets a name or a picture yet (contract.md section 11).
      claims_supported: ['sub', 'auth_time', 'iss'],
    };
    context.set('Cache-Control', CACHE_CONTROL);
  });
}

interface DiscoveryUrls {
  jwksUri: string;
  userinfoUri: string;
}
