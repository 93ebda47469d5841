import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { countHeaders } from '../match/check-host-header.js';

/** The value of `X-API-Key`; undefined when the header is absent. */
export function getApiKey(request: Request): string | undefined {
  const value = request.headers['x-api-key'];
  return typeof value === 'string' ? value : undefined;
}

/** The value of `Authorization`; undefined for operations that read it themselves (OAuth client authentication). */
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
  /** The scheme in lower case; not necessarily a supported one. */
  scheme: string;
  credential: string;
}

/** A scheme, exactly one space, and a token68 (RFC 9110 section 11.4). */
const AUTHORIZATION_PATTERN = /^([a-z][a-z0-9-]{0,31}) ([\w.~+/-]+=*)$/i;

/** Undefined for a value that is not a scheme with a token68. */
export function parseAuthorization(text: string): ParsedAuthorization | undefined {
  const [, scheme, credential] = AUTHORIZATION_PATTERN.exec(text) ?? [];
  return scheme === undefined || credential === undefined
    ? undefined
    : { scheme: scheme.toLowerCase(), credential };
}

/** Node silently keeps the first of two `Authorization` headers, while a proxy in front may have used the second. */
export const hasSingleAuthorization = ({ rawHeaders }: Request): boolean =>
  countHeaders(rawHeaders, 'authorization') === 1;

/** Creates a reader of the credential of one scheme. */
export const createCredentialReader =
  (scheme: AuthorizationScheme) =>
  (request: Request): string | undefined => {
    const authorization = parseAuthorization(getAuthorization(request) ?? '');
    return authorization?.scheme === scheme ? authorization.credential : undefined;
  };
