import type { ClientApplication } from './entities/client-application.entity.js';

/** Where Sign-in with Ethereum may take place: the origins that were registered, or else those of the redirect URIs. */
export function getSignInOrigins({
  origins,
  redirectUris,
}: Pick<ClientApplication, 'origins' | 'redirectUris'>): string[] {
  return origins.length > 0 ? origins : [...new Set(redirectUris.map((uri) => new URL(uri).origin))];
}
