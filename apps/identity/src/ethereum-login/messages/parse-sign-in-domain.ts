import { invalidUri } from '../ethereum-login.errors.js';

/**
 * The host of a web address, with a port other than the default. Wallets compare it with the page's host.
 * @throws AppError 400 for an address that browsers resolve to another host than it spells
 */
export function parseSignInDomain(uri: string): string {
  const { host, protocol } = new URL(uri);
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(uri) ?? [];
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  if (![host, host + defaultPort].includes(authority.toLowerCase()))
    throw invalidUri('must contain the host as browsers write it, without user and password');
  return host;
}
