/**
 * oidc-provider does not look at what has the form of a JWT when it is asked about a token. Ours are JWTs: they go by it in
 * another spelling, which only the adapter of access tokens takes back.
 */
const DOT = '.';
const ESCAPED_DOT = '~';

export const escapeJwtDots = (token: string): string => token.replaceAll(DOT, ESCAPED_DOT);

export const unescapeJwtDots = (token: string): string => token.replaceAll(ESCAPED_DOT, DOT);
