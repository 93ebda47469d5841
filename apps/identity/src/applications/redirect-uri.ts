import { isIPv4 } from 'node:net';
import type { ClientType } from './entities/client-application.entity.js';
import { invalidField } from '../common/request.errors.js';

/** The parts of a redirect URI as written, not as a URL parser normalises them. */
export interface RedirectUri {
  scheme: 'https' | 'http';
  host: string;
  /** Digits; empty for the default port. */
  port: string;
  /** The path; empty, or beginning with a slash. */
  path: string;
  /** Without the question mark; undefined when there is none. */
  query: string | undefined;
  /** `localhost`, `127.0.0.1` or `[::1]`. */
  isLoopback: boolean;
}

const MAX_LENGTH = 2_048;

/** RFC 3986 pchar. */
const PCHAR = String.raw`(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})`;
const REDIRECT_URI_PATTERN = new RegExp(
  String.raw`^(https?)://([a-z0-9.-]+|\[::1\])(?::([1-9][0-9]{0,4}))?((?:/${PCHAR}*)*)(?:\?((?:${PCHAR}|[/?])*))?$`,
);
const HOST_LABEL_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A private-use URI of a native application (RFC 8252 section 7.1): a reversed domain name as scheme, and no authority. The dot
 * excludes schemes that browsers handle themselves, such as `javascript` and `data`.
 */
const PRIVATE_USE_PATTERN = new RegExp(
  String.raw`^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:/(?:${PCHAR}+(?:/${PCHAR}*)*)?(?:\?(?:${PCHAR}|[/?])*)?$`,
);

/** Encoded dots and slashes: some parsers decode them before they resolve dot segments, others do not. */
const ENCODED_DOT_OR_SLASH = /%(?:2e|2f|5c)/i;

/**
 * Parses a redirect URI (contract.md section 4): http or https in lower case, without user name, fragment and dot segments,
 * and without anything that parsers interpret differently. Undefined for everything else.
 */
export function parseRedirectUri(text: string): RedirectUri | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = REDIRECT_URI_PATTERN.exec(text);
  if (!match) return undefined;
  const [, scheme = '', host = '', port = '', path = '', query] = match;
  if (!isHost(host) || Number(port) > 65_535 || ENCODED_DOT_OR_SLASH.test(path)) return undefined;
  // Hosts that no browser accepts, such as xn--.
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

/** Whether a redirect URI has a private-use scheme. It is only ever compared as a whole. */
export const isPrivateUseUri = (text: string): boolean =>
  text.length <= MAX_LENGTH && PRIVATE_USE_PATTERN.test(text);

/** Explains why a URI cannot be registered; undefined when it can. */
export function findRedirectUriProblem(text: string): string | undefined {
  if (isPrivateUseUri(text)) return undefined;
  const parsed = parseRedirectUri(text);
  if (!parsed)
    return 'must be an https URI, with its host in lower case and without user name, fragment, dot segments and encoded slashes, or a URI like com.example.app:/callback of a native application';
  if (parsed.scheme === 'http' && !parsed.isLoopback)
    return 'must be https, except on localhost, 127.0.0.1 and [::1]';
  return undefined;
}

/** Explains why an application of a type cannot register these URIs together; undefined when it can. */
export function findPrivateUseProblem(type: ClientType, uris: readonly string[]): string | undefined {
  if (!uris.some(isPrivateUseUri)) return undefined;
  if (type !== 'public')
    return 'must be https or http, because only a public application may have its own URI scheme';
  // oidc-provider refuses native clients with such a URI (OpenID Connect Registration section 2, application_type).
  const hasLoopbackTls = uris
    .map(parseRedirectUri)
    .some((uri) => uri?.isLoopback === true && uri.scheme === 'https');
  return hasLoopbackTls
    ? 'must use http on localhost, 127.0.0.1 and [::1] beside an own URI scheme'
    : undefined;
}

function isHost(host: string): boolean {
  if (LOOPBACK_HOSTS.has(host) || isIPv4(host)) return true;
  const labels = host.split('.');
  // Browsers parse a host whose last label is a number as an IPv4 address: 127.1, 2130706433 and 0x7f.1 are 127.0.0.1.
  return (
    host.length <= 253 &&
    labels.every((label) => HOST_LABEL_PATTERN.test(label)) &&
    !/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  );
}

/** @throws AppError 400 for URIs that an application of this type cannot register together */
export function checkRedirectUris(
  type: ClientType,
  uris: readonly string[] = [],
  field = 'redirectUris',
): void {
  const problem = findPrivateUseProblem(type, uris);
  if (problem !== undefined) throw invalidField('input_invalid', field, problem);
}
