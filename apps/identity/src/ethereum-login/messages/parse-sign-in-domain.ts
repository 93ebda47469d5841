import { invalidUri } from '../ethereum-login.errors.js';

/**
 * The host of a web address, with its port where it is not the usual one: what a wallet compares with the page that asks.
 * Addresses of which a browser makes another host than their text says are refused. @throws AppError 400
 */
export function parseSignInDomain(uri: string): string {
  const { host, protocol } = new URL(uri);
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(uri) ?? [];
  const usualPort = protocol === 'https:' ? ':443' : ':80';
  if (![host, host + usualPort].includes(authority.toLowerCase()))
    throw invalidUri('must spell its host as browsers do, without user and password');
  return host;
}
