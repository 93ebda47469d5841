import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import { listForwardedHeaders, PAGE_REQUEST_HEADERS, type Upstream } from '@app/openapi';
import type { Request } from 'express';
import { type Destination, isBrowserDestination } from './destination.js';

/**
 * Client headers by app. An allow-list drops hop-by-hop headers, credentials and every spelling of internal headers.
 */
const FORWARDED_HEADERS: Readonly<Record<Upstream, readonly string[]>> = {
  'token-gating': listForwardedHeaders('token-gating'),
  identity: listForwardedHeaders('identity'),
  'account-kit': listForwardedHeaders('account-kit'),
  analytics: listForwardedHeaders('analytics'),
};

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
  copyHeaders(FORWARDED_HEADERS[destination.upstream], request, headers);
  copyHeaders(destination.forwardedHeaders, request, headers);
  if (isBrowserDestination(destination)) {
    copyHeaders(PAGE_REQUEST_HEADERS, request, headers);
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
