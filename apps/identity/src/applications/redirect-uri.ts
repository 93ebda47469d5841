import { isIPv4 } from 'node:net';

/** The parts of a redirect URI as they are written, never as a URL parser would rather have them. */
export interface RedirectUri {
  scheme: 'https' | 'http';
  host: string;
  /** Digits; empty when the default is meant. */
  port: string;
  /** Empty, or from its first slash on. */
  path: string;
  /** Without the question mark; undefined when there is none. */
  query: string | undefined;
  /** `localhost`, `127.0.0.1` or `[::1]`: the user's own machine. */
  isLoopback: boolean;
}

const MAX_LENGTH = 2_048;

/** RFC 3986: a path character, and what a query has besides. Nothing that a browser reads as something else. */
const PCHAR = String.raw`(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})`;
const REDIRECT_URI_PATTERN = new RegExp(
  String.raw`^(https?)://([a-z0-9.-]+|\[::1\])(?::([1-9][0-9]{0,4}))?((?:/${PCHAR}*)*)(?:\?((?:${PCHAR}|[/?])*))?$`,
);
const HOST_LABEL_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A percent-encoded dot, slash or backslash is a path of its own to one reader and none to the next. */
const ENCODED_DOT_OR_SLASH = /%(?:2e|2f|5c)/i;

/**
 * Reads a redirect URI by grammar (contract.md section 4): http or https in lower case, no user name, no fragment, no dot
 * segment, nothing that two readers could read in two ways. Undefined for everything else.
 */
export function parseRedirectUri(text: string): RedirectUri | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = REDIRECT_URI_PATTERN.exec(text);
  if (!match) return undefined;
  const [, scheme = '', host = '', port = '', path = '', query] = match;
  if (!isHost(host) || Number(port) > 65_535 || ENCODED_DOT_OR_SLASH.test(path)) return undefined;
  // What no browser could open: a host like xn--, for one.
  if (!URL.canParse(text)) return undefined;
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) return undefined;
  return {
    scheme: scheme as RedirectUri['scheme'],
    host,
    port,
    path,
    query,
    isLoopback: LOOPBACK_HOSTS.has(host),
  };
}

/** Why this cannot be registered, for the person who tried to. */
export function findRedirectUriProblem(text: string): string | undefined {
  const parsed = parseRedirectUri(text);
  if (!parsed)
    return 'must be an https URI, with its host in lower case and without user name, fragment, dot segments and encoded slashes';
  if (parsed.scheme === 'http' && !parsed.isLoopback)
    return 'must be https, except on localhost, 127.0.0.1 and [::1]';
  return undefined;
}

function isHost(host: string): boolean {
  if (LOOPBACK_HOSTS.has(host) || isIPv4(host)) return true;
  const labels = host.split('.');
  // A host that ends in a number is an address to browsers: 127.1 is 127.0.0.1, and so is 2130706433 and 0x7f.1.
  return (
    host.length <= 253 &&
    labels.every((label) => HOST_LABEL_PATTERN.test(label)) &&
    !/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  );
}
