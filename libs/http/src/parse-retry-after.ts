const SECONDS_PATTERN = /^\d{1,9}$/;
/** RFC 9110 section 5.6.7, the form that must be sent. */
const HTTP_DATE_PATTERN = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * What `Retry-After` asks for (RFC 9110 section 10.2.3), in milliseconds from now, 0 for the past; undefined when it is
 * absent or cannot be read.
 */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (SECONDS_PATTERN.test(header)) return Number(header) * 1_000;
  const at = HTTP_DATE_PATTERN.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
