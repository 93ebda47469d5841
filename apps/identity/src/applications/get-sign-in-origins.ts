import type { ClientApplication } from './entities/client-application.entity.js';

/** Origins that may use Sign-in with Ethereum: the registered ones, or those of the redirect URIs. */
export function getSignInOrigins({
  origins,
  redirectUris,
}: Pick<ClientApplication, 'origins' | 'redirectUris'>): string[] {
  return origins.length > 0 ? origins : [...new Set(redirectUris.map((uri) => new URL(uri).origin))];
}
