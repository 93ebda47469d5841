/** The one header that a service believes. It never comes from outside: the gateway forwards by allow-list. */
export const PRINCIPAL_HEADER = 'x-gatehouse-principal';

/** `typ` of the token, so that no other token of ours can be taken for one (RFC 8725 section 3.11). */
export const PRINCIPAL_TOKEN_TYPE = 'principal+jwt';

/** Signed for this long … */
export const PRINCIPAL_TOKEN_LIFETIME_SECONDS = 60;

/** … and handed out again for this long, so that a cached token always has half a minute left when it arrives. */
export const PRINCIPAL_TOKEN_CACHE_TTL_MS = 30_000;

/** The name of the only app whose tokens may speak for callers. */
export const GATEWAY_ISSUER = 'gateway';
