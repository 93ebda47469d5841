import type { IncomingMessage } from 'node:http';
import { getHeader } from '@app/service';
import type { PublicUrlsConfig } from '../common/identity.config.js';

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'method'> & { readonly originalUrl: string };

/** The names of this machine for itself. A login host of such a name exists on developers' machines only. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Hosts of this deployment other than the login host. */
function listOtherHosts(publicUrl: string, authUrl: string): string[] {
  const { hostname, host, port } = new URL(authUrl);
  const own = LOOPBACK_NAMES.includes(hostname)
    ? LOOPBACK_NAMES.map((name) => (port === '' ? name : `${name}:${port}`))
    : [];
  return [new URL(publicUrl).host, ...own].filter((other) => other !== host);
}

/**
 * Session cookies belong to the login host, so a browser at another host of this deployment is redirected there: at the API host if the
 * two differ, and in the local profile at another name of this machine. What the browser names as its host is only compared.
 * @returns the URL at the login host; undefined for a request that needs no redirect, also at an unknown host
 */
export function findLoginHostRedirect(
  request: BrowserRequest,
  { PUBLIC_URL, authUrl }: Pick<PublicUrlsConfig, 'PUBLIC_URL' | 'authUrl'>,
): string | undefined {
  const { method, originalUrl } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const host = getHeader(request, 'x-forwarded-host') ?? '';
  return listOtherHosts(PUBLIC_URL, authUrl).includes(host) ? authUrl + originalUrl : undefined;
}
