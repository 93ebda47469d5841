import { isIPv6 } from 'node:net';

const unreserved = 'A-Za-z0-9\\-._~';
const subDelims = "!$&'()*+,;=";
const escaped = '%[0-9A-Fa-f]{2}';
const pchar = `(?:[${unreserved}${subDelims}:@]|${escaped})`;

const userinfo = `(?:[${unreserved}${subDelims}:]|${escaped})*`;
const regName = `(?:[${unreserved}${subDelims}]|${escaped})`;
const ipFuture = `[vV][0-9A-Fa-f]+\\.[${unreserved}${subDelims}:]+`;
const ipLiteral = `\\[(?:(?<ipv6>[0-9A-Fa-f:.]+)|${ipFuture})\\]`;
const authority = (host: string): string => `(?:${userinfo}@)?(?:${ipLiteral}|${host})(?::[0-9]*)?`;

const scheme = '[A-Za-z][A-Za-z0-9+\\-.]*';
const segments = `(?:/${pchar}*)*`;
const hierPart = `(?://${authority(`${regName}*`)}${segments}|/(?:${pchar}+${segments})?|${pchar}+${segments}|)`;
const rest = `(?:${pchar}|[/?])*`;

const AUTHORITY = new RegExp(`^${authority(`${regName}+`)}$`);
const SCHEME = new RegExp(`^${scheme}$`);
const URI = new RegExp(`^${scheme}:${hierPart}(?:\\?${rest})?(?:#${rest})?$`);
const PCHARS = new RegExp(`^${pchar}*$`);
const RESERVED_OR_UNRESERVED = new RegExp(`^[${unreserved}${subDelims}:/?#[\\]@ ]*$`);

/** An authority with a host; RFC 3986 allows an empty host, which would bind a message to no site. */
export function isAuthority(text: string): boolean {
  return hasValidIpLiteral(AUTHORITY.exec(text));
}

/** A URI with its scheme (RFC 3986 section 3). */
export function isUri(text: string): boolean {
  return hasValidIpLiteral(URI.exec(text));
}

export function isScheme(text: string): boolean {
  return SCHEME.test(text);
}

/** Zero or more path characters (`pchar`). */
export function isPchars(text: string): boolean {
  return PCHARS.test(text);
}

/** A plain line has reserved and unreserved characters and spaces: no `%`, no double quotes, only ASCII. */
export function isPlainLine(text: string): boolean {
  return RESERVED_OR_UNRESERVED.test(text);
}

function hasValidIpLiteral(match: RegExpExecArray | null): boolean {
  const ipv6 = match?.groups?.['ipv6'];
  return match !== null && (ipv6 === undefined || isIPv6(ipv6));
}
