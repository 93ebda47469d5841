import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { PUBLISHED_SCOPES } from '../clients/scopes.js';
import { CLAIMS_BY_SCOPE } from '../openid.dto.js';
import { SUPPORTED_PROMPTS } from '../requests/parse-authorization-request.js';

export const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** RFC 8414. */
export const OAUTH_METADATA_PATH = '/.well-known/oauth-authorization-server';

/** What OpenID Connect adds to the metadata of RFC 8414. */
const OPENID_FIELDS: readonly string[] = [
  'acr_values_supported',
  'claims_parameter_supported',
  'claims_supported',
  'end_session_endpoint',
  'id_token_signing_alg_values_supported',
  'prompt_values_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
  'userinfo_endpoint',
];

/** Keys are published a day before their first use; the rest changes only with a release. */
export const METADATA_CACHE_CONTROL = 'public, max-age=300';

/** Corrects what oidc-provider does not know: the URLs of keys and UserInfo, the implicit flow and the published scopes. */
export function extendDiscoveryDocument(
  provider: Provider,
  { jwksUri, userinfoUri, endSessionUri }: DiscoveryUrls,
): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (![DISCOVERY_PATH, OAUTH_METADATA_PATH].includes(context.path) || context.status !== 200) return;
    const document = context.body as Record<string, unknown> & { grant_types_supported: string[] };
    const extended: Record<string, unknown> = {
      ...document,
      jwks_uri: jwksUri,
      userinfo_endpoint: userinfoUri,
      end_session_endpoint: endSessionUri,
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: [...new Set([...document.grant_types_supported, 'implicit'])],
      scopes_supported: PUBLISHED_SCOPES,
      claims_supported: ['iss', 'auth_time', ...Object.values(CLAIMS_BY_SCOPE).flat()],
      prompt_values_supported: SUPPORTED_PROMPTS,
    };
    context.body =
      context.path === DISCOVERY_PATH
        ? extended
        : Object.fromEntries(Object.entries(extended).filter(([name]) => !OPENID_FIELDS.includes(name)));
    context.set('Cache-Control', METADATA_CACHE_CONTROL);
  });
}

interface DiscoveryUrls {
  jwksUri: string;
  userinfoUri: string;
  endSessionUri: string;
}
