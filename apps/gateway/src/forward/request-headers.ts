import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import type { Upstream } from '@app/contract';
import type { Request } from 'express';
import { type Destination, isForBrowsers } from './destination.js';

/**
 * What goes on to every service. Everything else stays here: hop-by-hop headers, credentials, and whatever spelling of an
 * internal header somebody thinks of.
 */
const FORWARDED = [
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
const FORWARDED_TO: Partial<Record<Upstream, readonly string[]>> = {
  'account-kit': ['x-bot-token', 'x-access-token'],
};

/** What tells a page where a request of a browser came from. */
const FORWARDED_OF_BROWSERS = [
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
];

export function requestHeaders(
  request: Request,
  to: Destination,
  principalToken: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    [PRINCIPAL_HEADER]: principalToken,
    [REQUEST_ID_HEADER]: request.requestId,
    'x-forwarded-for': request.ip ?? '',
  };
  copy(FORWARDED, request, headers);
  copy(FORWARDED_TO[to.upstream] ?? [], request, headers);
  copy(to.forwards, request, headers);
  if (isForBrowsers(to)) {
    copy(FORWARDED_OF_BROWSERS, request, headers);
    headers['x-forwarded-host'] = request.headers.host ?? '';
  }
  return headers;
}

function copy(names: readonly string[], request: Request, into: Record<string, string>): void {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') into[name] = value;
  }
}
