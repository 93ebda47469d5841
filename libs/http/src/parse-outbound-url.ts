import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AddressPolicy, UrlScheme } from './address-policy.js';
import { isPortAllowed } from './is-port-allowed.js';

const MAX_URL_LENGTH = 2_048;

/**
 * RFC 3986 without user information and fragment, and without anything that parsers are known to read differently:
 * blanks, backslashes, controls, letters beyond ASCII, percent-encodings in the host.
 */
const URL_PATTERN =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9]\d{0,4}))?((?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*)?)(?:\?(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
const LABEL_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that are never anybody's on the Internet: RFC 6761, 6762, 8375, and ICANN's reservation of `internal`. */
const PRIVATE_NAME_PATTERN = /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid|onion)$/;

const PRIVATE_HOST_PROBLEM = 'must not name a host of a private network';

/** The URL, or what is wrong with it, told from its text alone: no name is looked up. */
export function parseOutboundUrl(text: string, rules: AddressPolicy): URL | string {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  const [, schemeText = '', hostText = '', portText] = URL_PATTERN.exec(text) ?? [];
  if (hostText === '') return 'must be an https URL without user name, password and fragment';
  const scheme = `${schemeText.toLowerCase()}:` as UrlScheme;
  const host = hostText.toLowerCase();
  const port = portText === undefined ? getDefaultPort(scheme) : Number(portText);
  if (!isPortAllowed(port)) return 'must not name this port';
  if (scheme === 'http:' && !rules.hasAllowedCidrs) return 'must be an https URL';
  const wrong = findHostProblem(host, scheme, rules);
  if (wrong !== undefined) return wrong;
  return URL.canParse(text) ? verifyParsedUrl(new URL(text), scheme, host, port) : 'must be a URL';
}

const getDefaultPort = (scheme: UrlScheme) => (scheme === 'https:' ? 443 : 80);

function findHostProblem(host: string, scheme: UrlScheme, rules: AddressPolicy): string | undefined {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIPv4(address) || (host !== address && isIPv6(address)))
    return rules.isAllowed(address, scheme) ? undefined : PRIVATE_HOST_PROBLEM;
  const labels = host.split('.');
  const isName = host.length <= 253 && labels.every((label) => LABEL_PATTERN.test(label));
  // A last label that starts with a digit is how a URL parser tells an address: 127.1, 0x7f000001, 2130706433.
  if (!isName || !/^[a-z]/.test(labels.at(-1) ?? ''))
    return 'must name a host, as letters, digits and hyphens';
  if (host === 'localhost') return rules.isAllowed('127.0.0.1', scheme) ? undefined : PRIVATE_HOST_PROBLEM;
  const isPrivateName = labels.length === 1 || PRIVATE_NAME_PATTERN.test(host);
  return isPrivateName && !rules.hasAllowedCidrs ? PRIVATE_HOST_PROBLEM : undefined;
}

/** What connects is the WHATWG parser's reading: it has to be ours. */
function verifyParsedUrl(url: URL, scheme: UrlScheme, host: string, port: number): URL | string {
  const readPort = url.port === '' ? getDefaultPort(scheme) : Number(url.port);
  const same =
    url.protocol === scheme && readPort === port && toCanonicalHost(url.hostname) === toCanonicalHost(host);
  return same ? url : 'must name a host, as letters, digits and hyphens';
}

const toCanonicalHost = (host: string) =>
  host.startsWith('[') ? ipaddr.parse(host.slice(1, -1)).toNormalizedString() : host;
