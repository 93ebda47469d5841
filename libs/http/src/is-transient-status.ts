/** 4xx statuses of RFC 9110, RFC 8470 and RFC 6585 after which a retry may succeed. */
const TRANSIENT_STATUSES = new Set([408, 421, 425, 429]);

/** Whether a retry may be answered with 200. */
export const isTransientStatus = (status: number): boolean => status >= 500 || TRANSIENT_STATUSES.has(status);
