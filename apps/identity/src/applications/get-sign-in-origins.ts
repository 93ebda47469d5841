import type { ClientApplication } from './entities/client-application.entity.js';
import { isPrivateUseUri } from './redirect-uri.js';

/** Origins that may use Sign-in with Ethereum: the registered ones, or those of the redirect URIs. */
export function getSignInOrigins({
  origins,
  redirectUris,
}: Pick<ClientApplication, 'origins' | 'redirectUris'>): string[] {
  const webUris = redirectUris.filter((uri) => !isPrivateUseUri(uri));
  return origins.length > 0 ? origins : [...new Set(webUris.map((uri) => new URL(uri).origin))];
}
