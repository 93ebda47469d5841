import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import type { Upstream } from '@app/openapi';
import type { Request } from 'express';
import { type Destination, isBrowserDestination } from './destination.js';

/**
 * What goes on to every service. Everything else stays here: hop-by-hop headers, credentials, and whatever spelling of an
 * internal header somebody thinks of.
 */
const FORWARDED_HEADERS = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'prefer',
  'user-agent',
] as const;

/** The chat platforms' own tokens are for the one app that talks to those platforms. */
const UPSTREAM_FORWARDED_HEADERS: Partial<Record<Upstream, readonly string[]>> = {
  'account-kit': ['x-bot-token', 'x-access-token'],
};

/** What tells a page where a request of a browser came from. */
const BROWSER_FORWARDED_HEADERS = [
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
];

export function createUpstreamHeaders(
  request: Request,
  to: Destination,
  principalToken: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    [PRINCIPAL_HEADER]: principalToken,
    [REQUEST_ID_HEADER]: request.requestId,
    'x-forwarded-for': request.ip ?? '',
  };
  copyHeaders(FORWARDED_HEADERS, request, headers);
  copyHeaders(UPSTREAM_FORWARDED_HEADERS[to.upstream] ?? [], request, headers);
  copyHeaders(to.forwardedHeaders, request, headers);
  if (isBrowserDestination(to)) {
    copyHeaders(BROWSER_FORWARDED_HEADERS, request, headers);
    headers['x-forwarded-host'] = request.headers.host ?? '';
  }
  return headers;
}

function copyHeaders(names: readonly string[], request: Request, into: Record<string, string>): void {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') into[name] = value;
  }
}
