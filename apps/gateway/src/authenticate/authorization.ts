import type { Request } from 'express';
import { countHeaders } from '../match/count-headers.js';
import { authorizationOf } from './presented-credentials.js';

/** The schemes that `Authorization` may carry (contract.md section 1), in lower case. */
export type AuthorizationScheme = 'bearer' | 'ae' | 'ethereum';

export interface Authorization {
  /** As presented, in lower case; there may be no such scheme. */
  scheme: string;
  credential: string;
}

/** RFC 9110 section 11.4: a scheme, here exactly one space, and a token68. */
const FORM = /^([a-z][a-z0-9-]{0,31}) ([\w.~+/-]+=*)$/i;

/** Undefined for what is not one scheme with one value. */
export function parseAuthorization(text: string): Authorization | undefined {
  const [, scheme, credential] = FORM.exec(text) ?? [];
  return scheme === undefined || credential === undefined
    ? undefined
    : { scheme: scheme.toLowerCase(), credential };
}

/** Of two `Authorization` headers node takes the first in silence; whoever stands in front of us may have taken the other. */
export const hasOneAuthorization = ({ rawHeaders }: Request): boolean =>
  countHeaders(rawHeaders, 'authorization') === 1;

/** What a strategy of one scheme gets to see. */
export const credentialOf =
  (scheme: AuthorizationScheme) =>
  (request: Request): string | undefined => {
    const authorization = parseAuthorization(authorizationOf(request) ?? '');
    return authorization?.scheme === scheme ? authorization.credential : undefined;
  };
