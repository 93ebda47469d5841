import type { Upstream } from './openapi-document.js';

/**
 * The apps that get a request header behind the gateway: the listed apps; `all` apps; `declared`: operations that list
 * the header in `forwards`; `pages`: operations and pages that get cookies; `own`: whoever needs it, with a value that
 * the gateway sets itself; `none`: no app.
 */
type Forwarding = readonly Upstream[] | 'all' | 'declared' | 'pages' | 'own' | 'none';

interface RequestHeaderRules {
  forwardedTo: Forwarding;
  /** Scripts of other origins may send it (`Access-Control-Allow-Headers`). */
  isAllowedInCors?: true;
  /** The header's value is redacted in logs. Traces contain no header at all. */
  isSecret?: true;
  /** `GATEWAY_ALIASES.headers` may give it another name. No header of this table can itself be such a name. */
  isAliasable?: true;
  /** The text about an optional header of operations, which the document never declares. */
  description?: string;
}

/**
 * Every request header that the gateway or an app reads, and those that browsers' libraries send to every server
 * (contract.md sections 1 and 11). A header that is not listed reaches no app.
 */
export const REQUEST_HEADERS = {
  // `Authorization` has no alias, because a proxy in front may read it, too.
  Authorization: { forwardedTo: 'declared', isAllowedInCors: true, isSecret: true },
  Cookie: { forwardedTo: 'declared', isSecret: true },
  'X-API-Key': { forwardedTo: 'none', isAllowedInCors: true, isSecret: true, isAliasable: true },
  // Tokens of chat platforms go only to the app that calls those platforms.
  'X-Bot-Token': {
    forwardedTo: ['account-kit'],
    isAllowedInCors: true,
    isSecret: true,
    isAliasable: true,
  },
  'X-Access-Token': {
    forwardedTo: ['account-kit'],
    isAllowedInCors: true,
    isSecret: true,
    isAliasable: true,
    description: "a platform's token of a user or a bot, where `X-BOT-TOKEN` is declared",
  },
  'X-Nonce-Key': {
    forwardedTo: ['account-kit'],
    isAllowedInCors: true,
    isAliasable: true,
    description: 'the lane of a user operation',
  },
  'Idempotency-Key': {
    forwardedTo: ['token-gating', 'account-kit'],
    isAllowedInCors: true,
    isAliasable: true,
    description: 'repeats a request without repeating its effect',
  },
  Prefer: {
    forwardedTo: ['token-gating', 'account-kit'],
    isAllowedInCors: true,
    isAliasable: true,
    description: '`handling=lenient`, `explain` or `wait=<seconds>` (RFC 7240)',
  },
  'If-None-Match': {
    forwardedTo: 'all',
    isAllowedInCors: true,
    description: 'an `ETag`: 304 while it is still the current one',
  },
  'X-Request-Id': {
    forwardedTo: 'own',
    isAllowedInCors: true,
    description: "the client's own id of the request, 1 to 128 of `[A-Za-z0-9._-]`",
  },
  // A client's trace becomes a link of the gateway's own, which starts a trace for a share of its requests.
  traceparent: { forwardedTo: 'own', isAllowedInCors: true },
  // Tracing and HTTP libraries add these to every request. A preflight that refused them would end the request.
  tracestate: { forwardedTo: 'none', isAllowedInCors: true },
  baggage: { forwardedTo: 'none', isAllowedInCors: true },
  'sentry-trace': { forwardedTo: 'none', isAllowedInCors: true },
  'X-Requested-With': { forwardedTo: 'none', isAllowedInCors: true },
  // Further trackers (Datadog, New Relic, Elastic APM, Application Insights, Zipkin), and HTTP libraries that ask past caches.
  'x-datadog-origin': { forwardedTo: 'none', isAllowedInCors: true },
  'x-datadog-parent-id': { forwardedTo: 'none', isAllowedInCors: true },
  'x-datadog-sampling-priority': { forwardedTo: 'none', isAllowedInCors: true },
  'x-datadog-tags': { forwardedTo: 'none', isAllowedInCors: true },
  'x-datadog-trace-id': { forwardedTo: 'none', isAllowedInCors: true },
  newrelic: { forwardedTo: 'none', isAllowedInCors: true },
  'elastic-apm-traceparent': { forwardedTo: 'none', isAllowedInCors: true },
  'Request-Id': { forwardedTo: 'none', isAllowedInCors: true },
  'Request-Context': { forwardedTo: 'none', isAllowedInCors: true },
  b3: { forwardedTo: 'none', isAllowedInCors: true },
  'Cache-Control': { forwardedTo: 'none', isAllowedInCors: true },
  Pragma: { forwardedTo: 'none', isAllowedInCors: true },
  Accept: { forwardedTo: 'all' },
  'Accept-Language': { forwardedTo: 'all' },
  'Content-Encoding': { forwardedTo: 'all' },
  'Content-Length': { forwardedTo: 'all' },
  'Content-Type': { forwardedTo: 'all', isAllowedInCors: true },
  'User-Agent': { forwardedTo: 'all' },
  'X-Forwarded-For': { forwardedTo: 'own' },
  'X-Forwarded-Host': { forwardedTo: 'own' },
  'X-Gatehouse-Principal': { forwardedTo: 'own', isSecret: true },
  // Pages detect cross-site requests by these.
  Origin: { forwardedTo: 'pages' },
  Referer: { forwardedTo: 'pages' },
  'Sec-Fetch-Dest': { forwardedTo: 'pages' },
  'Sec-Fetch-Mode': { forwardedTo: 'pages' },
  'Sec-Fetch-Site': { forwardedTo: 'pages' },
  'Sec-Fetch-User': { forwardedTo: 'pages' },
  // Pages that are fetched in advance say no notice.
  'Sec-Purpose': { forwardedTo: 'pages' },
} as const satisfies Readonly<Record<string, RequestHeaderRules>>;

/** The name of a listed request header as Node.js has it. */
export type RequestHeaderName = Lowercase<keyof typeof REQUEST_HEADERS>;

/** Credentials that only operations get which declare it: for OAuth client authentication, and for the sessions of pages. */
export type ForwardedHeader = {
  [Name in keyof typeof REQUEST_HEADERS]: (typeof REQUEST_HEADERS)[Name]['forwardedTo'] extends 'declared'
    ? Lowercase<Name>
    : never;
}[keyof typeof REQUEST_HEADERS];

interface ResponseHeaderRules {
  /** `apps`: the gateway returns the value of the app; `pages`: only that of pages; `gateway`: the gateway sets it itself. */
  setBy: 'apps' | 'pages' | 'gateway';
  /** Scripts of other origins may read it (`Access-Control-Expose-Headers`). */
  isExposed?: true;
  isSecret?: true;
}

/** Every response header that clients get. Others of an app are dropped. */
export const RESPONSE_HEADERS = {
  'Retry-After': { setBy: 'apps', isExposed: true },
  'X-Request-Id': { setBy: 'gateway', isExposed: true },
  'X-RateLimit-Limit': { setBy: 'gateway', isExposed: true },
  'X-RateLimit-Remaining': { setBy: 'gateway', isExposed: true },
  'X-RateLimit-Reset': { setBy: 'gateway', isExposed: true },
  RateLimit: { setBy: 'gateway', isExposed: true },
  'RateLimit-Policy': { setBy: 'gateway', isExposed: true },
  'Preference-Applied': { setBy: 'apps', isExposed: true },
  'X-Data-Until': { setBy: 'apps', isExposed: true },
  ETag: { setBy: 'apps', isExposed: true },
  'WWW-Authenticate': { setBy: 'apps', isExposed: true },
  Allow: { setBy: 'gateway' },
  'Cache-Control': { setBy: 'apps' },
  'Content-Disposition': { setBy: 'apps' },
  'Content-Encoding': { setBy: 'apps' },
  'Content-Language': { setBy: 'apps' },
  'Content-Length': { setBy: 'apps' },
  'Content-Security-Policy': { setBy: 'apps' },
  'Content-Type': { setBy: 'apps' },
  'Last-Modified': { setBy: 'apps' },
  Link: { setBy: 'apps' },
  Location: { setBy: 'apps' },
  'Referrer-Policy': { setBy: 'apps' },
  Vary: { setBy: 'apps' },
  'X-Content-Type-Options': { setBy: 'apps' },
  'X-Frame-Options': { setBy: 'apps' },
  'X-Robots-Tag': { setBy: 'apps' },
  'Clear-Site-Data': { setBy: 'pages' },
  'Cross-Origin-Embedder-Policy': { setBy: 'pages' },
  'Cross-Origin-Opener-Policy': { setBy: 'pages' },
  'Cross-Origin-Resource-Policy': { setBy: 'pages' },
  'Permissions-Policy': { setBy: 'pages' },
  'Set-Cookie': { setBy: 'pages', isSecret: true },
  'Strict-Transport-Security': { setBy: 'pages' },
} as const satisfies Readonly<Record<string, ResponseHeaderRules>>;

const requestHeaders = Object.entries<RequestHeaderRules>(REQUEST_HEADERS);
const responseHeaders = Object.entries<ResponseHeaderRules>(RESPONSE_HEADERS);

const listNames = <Rules>(
  headers: readonly (readonly [string, Rules])[],
  isWanted: (rules: Rules) => boolean,
): string[] => headers.filter(([, rules]) => isWanted(rules)).map(([name]) => name);

const toLowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

/** Headers that scripts of other origins may send and read. */
export const CORS_REQUEST_HEADERS = listNames(
  requestHeaders,
  ({ isAllowedInCors = false }) => isAllowedInCors,
);
export const CORS_RESPONSE_HEADERS = listNames(responseHeaders, ({ isExposed = false }) => isExposed);

/** Request headers that may have another name. */
export const ALIASABLE_HEADERS = listNames(requestHeaders, ({ isAliasable = false }) => isAliasable);

/** Headers whose values no log line has, in lower case. */
export const SECRET_HEADERS = toLowerCase([
  ...listNames(requestHeaders, ({ isSecret = false }) => isSecret),
  ...listNames(responseHeaders, ({ isSecret = false }) => isSecret),
]);

/** Client headers that an app gets with every request, in lower case. */
export const listForwardedHeaders = (upstream: Upstream): string[] =>
  toLowerCase(
    listNames(
      requestHeaders,
      ({ forwardedTo }) =>
        forwardedTo === 'all' || (typeof forwardedTo === 'object' && forwardedTo.includes(upstream)),
    ),
  );

/** Client headers that operations with cookies get besides, in lower case. */
export const PAGE_REQUEST_HEADERS = toLowerCase(
  listNames(requestHeaders, ({ forwardedTo }) => forwardedTo === 'pages'),
);

/** Headers of an app's response that clients get, in lower case. */
export const RETURNED_HEADERS = toLowerCase(listNames(responseHeaders, ({ setBy }) => setBy === 'apps'));
export const PAGE_RETURNED_HEADERS = toLowerCase(
  listNames(responseHeaders, ({ setBy }) => setBy !== 'gateway'),
);

const namesInTable = new Set(toLowerCase(Object.keys(REQUEST_HEADERS)));
export const isRequestHeader = (name: string): boolean => namesInTable.has(name.toLowerCase());

/** What the document says of the optional headers, which it does not declare (contract.md section 1). */
export function describeOptionalHeaders(): string {
  const lines = requestHeaders.flatMap(([name, { description }]) =>
    description === undefined ? [] : [`- \`${name}\`: ${description}`],
  );
  return `Optional request headers, which operations name where they read them:\n\n${lines.join('\n')}`;
}
