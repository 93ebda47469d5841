import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import type { Upstream } from '@app/openapi';
import type { Request } from 'express';
import { type Destination, isBrowserDestination } from './destination.js';

/**
 * Headers that every service gets. An allow-list drops hop-by-hop headers, credentials and every spelling of internal
 * headers.
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

/** Tokens of chat platforms go only to the app that calls those platforms. */
const UPSTREAM_FORWARDED_HEADERS: Partial<Record<Upstream, readonly string[]>> = {
  'account-kit': ['x-bot-token', 'x-access-token', 'x-nonce-key'],
};

/** Headers that pages use to detect cross-site requests. */
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
  destination: Destination,
  principalToken: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    [PRINCIPAL_HEADER]: principalToken,
    [REQUEST_ID_HEADER]: request.requestId,
    'x-forwarded-for': request.ip ?? '',
  };
  copyHeaders(FORWARDED_HEADERS, request, headers);
  copyHeaders(UPSTREAM_FORWARDED_HEADERS[destination.upstream] ?? [], request, headers);
  copyHeaders(destination.forwardedHeaders, request, headers);
  if (isBrowserDestination(destination)) {
    copyHeaders(BROWSER_FORWARDED_HEADERS, request, headers);
    headers['x-forwarded-host'] = request.headers.host ?? '';
  }
  return headers;
}

function copyHeaders(names: readonly string[], request: Request, target: Record<string, string>): void {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') target[name] = value;
  }
}
