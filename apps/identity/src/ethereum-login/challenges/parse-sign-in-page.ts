import type { ChallengeRequest } from '../ethereum-login.dto.js';
import { invalidPage, type PageField, unregisteredOrigin } from '../ethereum-login.errors.js';

export interface SignInPage {
  readonly uri: string;
  /** The host that the wallet displays, and compares with the page's. */
  readonly domain: string;
}

/**
 * The page that requests a sign-in. `domain` alone stands for its page at https (contract.md section 11).
 * @param origins those that the client application registered
 * @throws AppError 400
 */
export function parseSignInPage(
  { uri: namedUri, domain: namedDomain }: Pick<ChallengeRequest, 'uri' | 'domain'>,
  origins: readonly string[],
): SignInPage {
  const uri = namedUri ?? `https://${namedDomain?.toLowerCase() ?? ''}`;
  const field = namedUri === undefined ? 'domain' : 'uri';
  if (!origins.includes(new URL(uri).origin)) throw unregisteredOrigin(field);
  const domain = parseSignInDomain(uri, field);
  if (namedDomain !== undefined && namedDomain.toLowerCase() !== domain)
    throw invalidPage('domain', 'must be the host of uri as browsers write it');
  return { uri, domain };
}

/**
 * The host of a web address, with a port other than the default. Wallets compare it with the page's host.
 * @throws AppError 400 for an address that browsers resolve to another host than it spells
 */
export function parseSignInDomain(uri: string, field: PageField = 'uri'): string {
  const { host, protocol } = new URL(uri);
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(uri) ?? [];
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  if (![host, host + defaultPort].includes(authority.toLowerCase()))
    throw invalidPage(field, 'must contain the host as browsers write it, without user and password');
  return host;
}
