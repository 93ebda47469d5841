/**
 * oidc-provider ignores tokens in JWT form at its introspection and revocation endpoints, because it does not store them.
 * This service stores its JWTs, so they pass oidc-provider with escaped dots; AccessTokenAdapter unescapes them.
 */
const DOT = '.';
const ESCAPED_DOT = '~';

export const escapeJwtDots = (token: string): string => token.replaceAll(DOT, ESCAPED_DOT);

export const unescapeJwtDots = (token: string): string => token.replaceAll(ESCAPED_DOT, DOT);
