/** How old an answer of a platform may be for signing, so that a revoked token stops signing. */
export const MAX_AGE_FOR_SIGNING_MS = 10_000;
export const REFUSAL_KEPT_MS = 30_000;
/** All tenants share each cache. What is evicted costs one request to the platform. */
export const MAX_CACHED_TOKENS = 20_000;
