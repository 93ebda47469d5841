/**
 * oidc-provider does not look at what has the form of a JWT when it is asked about a token. Ours are JWTs: they go by it in
 * another spelling, which only the adapter of access tokens takes back.
 */
const DOT = '.';
const INSTEAD = '~';

export const disguised = (token: string): string => token.replaceAll(DOT, INSTEAD);

export const undisguised = (token: string): string => token.replaceAll(INSTEAD, DOT);
