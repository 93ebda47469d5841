/** Limits of one document, redirects and all gateways included (contract.md section 8). */
export const METADATA_LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 5_000 };
