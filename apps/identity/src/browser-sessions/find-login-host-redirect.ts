import type { IncomingMessage } from 'node:http';
import type { PublicUrlsConfig } from '../common/public-urls.config.js';

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'method'> & { readonly originalUrl: string };

/**
 * Session cookies belong to the login host, so a browser at the API host is redirected there if the two differ.
 * @returns the URL at the login host; undefined for a request that needs no redirect, also at an unknown host
 */
export function findLoginHostRedirect(
  { headers, method, originalUrl }: BrowserRequest,
  { PUBLIC_URL, authUrl }: Pick<PublicUrlsConfig, 'PUBLIC_URL' | 'authUrl'>,
): string | undefined {
  const apiHost = new URL(PUBLIC_URL).host;
  const isAtApiHost = headers['x-forwarded-host'] === apiHost && apiHost !== new URL(authUrl).host;
  return isAtApiHost && method === 'GET' ? authUrl + originalUrl : undefined;
}
