import type { RequestHeaderName } from '@app/openapi';

/** The only header that services trust. Clients cannot send it, because the gateway forwards headers by allow-list. */
export const PRINCIPAL_HEADER = 'x-gatehouse-principal' satisfies RequestHeaderName;

/** Explicit `typ`, so that no other token passes as a principal token (RFC 8725 section 3.11). */
export const PRINCIPAL_TOKEN_TYPE = 'principal+jwt';

export const PRINCIPAL_TOKEN_LIFETIME_SECONDS = 60;

/** Shorter than the lifetime, so that a cached token has at least 30 s left when it is sent. */
export const PRINCIPAL_TOKEN_CACHE_TTL_MS = 30_000;

/** The only app that may issue principal tokens for callers. */
export const GATEWAY_ISSUER = 'gateway';
