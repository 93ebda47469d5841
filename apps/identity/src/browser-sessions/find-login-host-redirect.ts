import type { IncomingMessage } from 'node:http';
import { getHeader } from '@app/service';
import type { PublicUrlsConfig } from '../common/identity.config.js';

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'method'> & { readonly originalUrl: string };

/**
 * Session cookies belong to the login host, so a browser at the API host is redirected there if the two differ.
 * @returns the URL at the login host; undefined for a request that needs no redirect, also at an unknown host
 */
export function findLoginHostRedirect(
  request: BrowserRequest,
  { PUBLIC_URL, authUrl }: Pick<PublicUrlsConfig, 'PUBLIC_URL' | 'authUrl'>,
): string | undefined {
  const apiHost = new URL(PUBLIC_URL).host;
  const { method, originalUrl } = request;
  const isAtApiHost = getHeader(request, 'x-forwarded-host') === apiHost && apiHost !== new URL(authUrl).host;
  return isAtApiHost && method === 'GET' ? authUrl + originalUrl : undefined;
}
