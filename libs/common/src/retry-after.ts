const SECONDS_PATTERN = /^\d{1,9}$/;
/** RFC 9110 section 5.6.7: IMF-fixdate, the only form that senders may generate. */
const HTTP_DATE_PATTERN = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The delay in milliseconds that a `Retry-After` header asks for (RFC 9110 section 10.2.3): 0 for a date in the past,
 * undefined for an absent or invalid header.
 */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (SECONDS_PATTERN.test(header)) return Number(header) * 1_000;
  const at = HTTP_DATE_PATTERN.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** `Retry-After` of answers, in seconds, by what the client waits for. */
export const RETRY_AFTER_SECONDS = {
  /** A place in a queue of this process, or keys that it is loading: a moment. */
  turn: 1,
  /** An operation under way, or a part of the deployment that restarts. */
  progress: 2,
  /** A node, a platform or an API that is away. */
  upstream: 5,
  /** An operator who fills up what a sponsor pays from. */
  refill: 60,
} as const;
