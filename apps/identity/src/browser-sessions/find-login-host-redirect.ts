import type { IncomingMessage } from 'node:http';
import type { PublicUrlsConfig } from '../common/public-urls.config.js';

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'method'> & { readonly originalUrl: string };

/**
 * Cookies belong to one host. Where users log in at another one than clients are answered at, a browser that came to the
 * clients' host goes there. Whatever host a proxy may have named instead changes nothing.
 * @returns where it goes; undefined when it stays
 */
export function findLoginHostRedirect(
  { headers, method, originalUrl }: BrowserRequest,
  { PUBLIC_URL, authUrl }: Pick<PublicUrlsConfig, 'PUBLIC_URL' | 'authUrl'>,
): string | undefined {
  const clientsHost = new URL(PUBLIC_URL).host;
  const isElsewhere = headers['x-forwarded-host'] === clientsHost && clientsHost !== new URL(authUrl).host;
  return isElsewhere && method === 'GET' ? authUrl + originalUrl : undefined;
}
