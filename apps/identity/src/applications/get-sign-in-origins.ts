import type { ClientApplication } from './entities/client-application.entity.js';
import { isPrivateUseUri } from './redirect-uri.js';

/**
 * An entry of `origins` that is no origin and so equals none. Alone it means that no origin may sign in, as an empty list cannot:
 * that stands for the origins of the redirect URIs.
 */
export const NO_ORIGIN = '';

/** Origins that may use Sign-in with Ethereum: the registered ones, or those of the redirect URIs. */
export function getSignInOrigins({
  origins,
  redirectUris,
}: Pick<ClientApplication, 'origins' | 'redirectUris'>): string[] {
  if (origins.length > 0) return origins.filter((origin) => origin !== NO_ORIGIN);
  const webUris = redirectUris.filter((uri) => !isPrivateUseUri(uri));
  return [...new Set(webUris.map((uri) => new URL(uri).origin))];
}
