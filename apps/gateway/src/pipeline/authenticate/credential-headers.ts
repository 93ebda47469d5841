import type { Request } from 'express';
import { countHeaders } from '../match/count-headers.js';
import { getRequestContext } from '../../request-context.js';

/** The value of `X-API-Key`; undefined when the header is not there at all. */
export function getApiKey(request: Request): string | undefined {
  const value = request.headers['x-api-key'];
  return typeof value === 'string' ? value : undefined;
}

/** The value of `Authorization`, unless it is meant for the operation itself: OAuth's own client authentication. */
export function getAuthorization(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  return getRequestContext(request).operation?.forwardedHeaders.includes('authorization')
    ? undefined
    : authorization;
}

/** The schemes that `Authorization` may carry (contract.md section 1), in lower case. */
export type AuthorizationScheme = 'bearer' | 'ae' | 'ethereum';

export interface ParsedAuthorization {
  /** As presented, in lower case; there may be no such scheme. */
  scheme: string;
  credential: string;
}

/** RFC 9110 section 11.4: a scheme, here exactly one space, and a token68. */
const AUTHORIZATION_PATTERN = /^([a-z][a-z0-9-]{0,31}) ([\w.~+/-]+=*)$/i;

/** Undefined for what is not one scheme with one value. */
export function parseAuthorization(text: string): ParsedAuthorization | undefined {
  const [, scheme, credential] = AUTHORIZATION_PATTERN.exec(text) ?? [];
  return scheme === undefined || credential === undefined
    ? undefined
    : { scheme: scheme.toLowerCase(), credential };
}

/** Of two `Authorization` headers node takes the first in silence; whoever stands in front of us may have taken the other. */
export const hasSingleAuthorization = ({ rawHeaders }: Request): boolean =>
  countHeaders(rawHeaders, 'authorization') === 1;

/** What a strategy of one scheme gets to see. */
export const createCredentialReader =
  (scheme: AuthorizationScheme) =>
  (request: Request): string | undefined => {
    const authorization = parseAuthorization(getAuthorization(request) ?? '');
    return authorization?.scheme === scheme ? authorization.credential : undefined;
  };
