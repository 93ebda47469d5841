import { PRINCIPAL_HEADER } from '@app/auth';
import { REQUEST_ID_HEADER } from '@app/common';
import type { Upstream } from '@app/contract';
import type { Request } from 'express';

/**
 * What goes on to a service. Everything else stays here: hop-by-hop headers, credentials, and whatever spelling of an
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

export function requestHeaders(
  request: Request,
  upstream: Upstream,
  principalToken: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    [PRINCIPAL_HEADER]: principalToken,
    [REQUEST_ID_HEADER]: request.requestId,
    'x-forwarded-for': request.ip ?? '',
  };
  copy(FORWARDED, request, headers);
  copy(FORWARDED_TO[upstream] ?? [], request, headers);
  return headers;
}

function copy(names: readonly string[], request: Request, into: Record<string, string>): void {
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') into[name] = value;
  }
}
